import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { Secrets } from '../../../core/ports/secrets';
import { createSecretStore, missingSecret, placeOf } from './secret-file';

const reason =
  'The command line has no keychain: it stores keys unencrypted in a file that only you can read.';

/** The command line's secrets: in memory, or in the 0600 file for those set with `unprotected`. */
export function createFileSecrets({ home }: { readonly home: string }): Secrets {
  const store = createSecretStore({ home });
  const session = new Map<string, string>();
  return {
    status: () => ({ available: false, reason }),
    get(ref) {
      const here = session.get(ref);
      if (here !== undefined) return ok(here);
      const stored = store.get(ref);
      if (!stored.ok) return stored;
      if (stored.value === null) return err(missingSecret(ref));
      return 'value' in stored.value ? ok(stored.value.value) : err(sealedElsewhere());
    },
    set(ref, value, { unprotected }) {
      if (!unprotected) {
        session.set(ref, value);
        return ok(null);
      }
      const written = store.set(ref, { value });
      if (written.ok) session.delete(ref);
      return written;
    },
    remove(ref) {
      session.delete(ref);
      return store.remove(ref);
    },
    place: (ref) => (session.has(ref) ? 'memory' : placeOf(store.get(ref))),
  };
}

function sealedElsewhere() {
  return appError('CONFIG', 'MISSING', 'This key is in the keychain, which only the app can open.', {
    hint: 'For the command line set OPENAI_BASE_URL, OPENAI_API_KEY and PATINA_MODEL.',
  });
}
