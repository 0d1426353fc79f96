import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { Secrets } from '../../../core/ports/secrets';
import { createSecretStore, missingSecret, placeOf, type SecretStore } from '../secrets/secret-file';

/**
 * The part of Electron's safeStorage that Patina uses. It works only after the app is ready, and may throw at
 * any time.
 */
export interface SafeStorage {
  readonly isEncryptionAvailable: () => boolean;
  readonly encryptString: (text: string) => Buffer;
  readonly decryptString: (sealed: Buffer) => string;
  /** Linux only. */
  readonly getSelectedStorageBackend?: () => string;
}

export interface SafeStorageSecretsDeps {
  readonly safeStorage: SafeStorage;
  readonly home: string;
}

type Status = ReturnType<Secrets['status']>;

/**
 * The app's secrets, encrypted by the system keychain in `secrets.json`. Without a keychain they stay in
 * memory until the app quits, unless the user chose an unprotected file. A secret that cannot be decrypted is
 * left unchanged, and the user is asked for it again.
 */
export function createSafeStorageSecrets({ safeStorage, home }: SafeStorageSecretsDeps): Secrets {
  const store = createSecretStore({ home });
  const session = new Map<string, string>();
  const status = (): Status => keychainStatus(safeStorage);
  return {
    status,
    get(ref) {
      const here = session.get(ref);
      if (here !== undefined) return ok(here);
      const stored = store.get(ref);
      if (!stored.ok) return stored;
      if (stored.value === null) return err(missingSecret(ref));
      return 'value' in stored.value ? ok(stored.value.value) : unseal(stored.value.sealed, safeStorage);
    },
    set(ref, value, { unprotected }) {
      if (status().available) return storeSecret(store, session, ref, seal(value, safeStorage));
      if (unprotected) return storeSecret(store, session, ref, ok({ value }));
      session.set(ref, value);
      return ok(null);
    },
    remove(ref) {
      session.delete(ref);
      return store.remove(ref);
    },
    place: (ref) => (session.has(ref) ? 'memory' : placeOf(store.get(ref))),
  };
}

function storeSecret(
  store: SecretStore,
  session: Map<string, string>,
  ref: string,
  secret: Result<Parameters<SecretStore['set']>[1]>,
): Result<null> {
  const written = secret.ok ? store.set(ref, secret.value) : secret;
  if (written.ok) session.delete(ref);
  return written;
}

function keychainStatus(safeStorage: SafeStorage): Status {
  const session = 'keys are kept until Patina closes, unless you choose an unprotected file';
  try {
    if (!safeStorage.isEncryptionAvailable()) {
      return { available: false, reason: `This system has no keychain: ${session}.` };
    }
    // Chromium's fallback encrypts with a publicly known constant.
    if (safeStorage.getSelectedStorageBackend?.() === 'basic_text') {
      return { available: false, reason: `No keychain is running on this system: ${session}.` };
    }
    return { available: true };
  } catch {
    return { available: false, reason: `The keychain of this system does not answer: ${session}.` };
  }
}

function seal(value: string, safeStorage: SafeStorage): Result<{ sealed: string }> {
  try {
    return ok({ sealed: safeStorage.encryptString(value).toString('base64') });
  } catch {
    return err(
      appError('HOST', 'STORAGE', 'The system keychain refused to store the key.', {
        hint: 'Unlock the keychain and save the key again.',
        retryable: true,
      }),
    );
  }
}

function unseal(sealed: string, safeStorage: SafeStorage): Result<string> {
  try {
    return ok(safeStorage.decryptString(Buffer.from(sealed, 'base64')));
  } catch {
    return err(
      appError('CONFIG', 'INVALID', 'The system keychain cannot decrypt the stored key.', {
        hint: 'Unlock the keychain, or enter the key again in Settings → Models. The stored key is kept until then.',
      }),
    );
  }
}
