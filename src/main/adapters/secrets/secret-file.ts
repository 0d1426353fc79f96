import { lstatSync, mkdirSync, readFileSync, type Stats } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { SecretPlace } from '../../../core/ports/secrets';
import { processAlive } from '../system/process-alive';
import { withLockSync } from '../system/write-lock';
import { writePrivateFile } from './private-file';

/** How a stored secret is kept. */
export function placeOf(secret: Result<StoredSecret | null>): SecretPlace | null {
  if (!secret.ok || secret.value === null) return null;
  return 'sealed' in secret.value ? 'keychain' : 'file';
}

/** A stored secret: encrypted by the system keychain (base64), or in plain text. */
export type StoredSecret = { readonly sealed: string } | { readonly value: string };

// A list instead of a record: a name such as `__proto__` would not survive as a key.
const Entry = z.union([
  z.strictObject({ ref: z.string(), sealed: z.base64() }),
  z.strictObject({ ref: z.string(), value: z.string() }),
]);
const SecretFile = z.strictObject({ version: z.literal(1), secrets: z.array(Entry) });

const maxFileBytes = 4 * 1024 * 1024;
const lockDeps = {
  pid: process.pid,
  processAlive,
  now: Date.now,
  wait: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5),
};
const accessOfOthers = 0o077;

/**
 * `PATINA_HOME/secrets.json`, mode 0600. Read on every call, because the app and the command line share it. A
 * damaged file, or one that others can read, is refused and never overwritten. Errors: CONFIG/INVALID,
 * HOST/STORAGE; no error contains a secret value.
 */
export type SecretStore = ReturnType<typeof createSecretStore>;

export function createSecretStore({ home }: { readonly home: string }) {
  const file = path.join(home, 'secrets.json');
  const edited = (edit: (secrets: Map<string, StoredSecret>) => boolean): Result<null> => {
    const secrets = read(file);
    if (!secrets.ok) return secrets;
    return edit(secrets.value) ? write(file, secrets.value) : ok(null);
  };
  // Two processes that change different secrets at once must not undo each other's change.
  const change = (edit: (secrets: Map<string, StoredSecret>) => boolean): Result<null> => {
    try {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      return withLockSync(`${file}.lock`, lockDeps, () => edited(edit));
    } catch (error) {
      return err(notSaved(home, error));
    }
  };
  return {
    path: file,
    get(ref: string): Result<StoredSecret | null> {
      const secrets = read(file);
      return secrets.ok ? ok(secrets.value.get(ref) ?? null) : secrets;
    },
    set: (ref: string, secret: StoredSecret): Result<null> =>
      change((secrets) => secrets.set(ref, secret).has(ref)),
    remove: (ref: string): Result<null> => change((secrets) => secrets.delete(ref)),
  };
}

function read(file: string): Result<Map<string, StoredSecret>> {
  try {
    const unsafe = unsafeBecause(lstatSync(file));
    if (unsafe !== null) return err(refused(file, unsafe));
    const parsed = SecretFile.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    // The schema's findings would quote values, so report only the fact.
    if (!parsed.success) return err(refused(file, notSecrets));
    return ok(new Map(parsed.data.secrets.map(({ ref, ...secret }) => [ref, secret])));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok(new Map());
    return err(refused(file, error instanceof SyntaxError ? notSecrets : notReadable(error)));
  }
}

interface Refusal {
  readonly rule: string;
  readonly reason: string;
  readonly next: string;
}

const notSecrets: Refusal = {
  rule: 'format',
  reason: 'it is damaged or not a file of secrets',
  next: 'Move it elsewhere, then enter the keys again in Settings → Models.',
};

function notReadable(error: unknown): Refusal {
  return { rule: 'readable', reason: `it cannot be read (${codeOf(error)})`, next: 'Check who owns it.' };
}

function unsafeBecause(stats: Stats): Refusal | null {
  if (!stats.isFile()) {
    return { rule: 'file', reason: 'it is not a regular file', next: 'Move it elsewhere.' };
  }
  if (stats.size > maxFileBytes) return notSecrets;
  if (process.platform === 'win32') return null;
  if (stats.uid !== process.getuid?.()) {
    return {
      rule: 'owner',
      reason: 'it belongs to another user',
      next: 'Move it elsewhere, or become its owner.',
    };
  }
  if ((stats.mode & accessOfOthers) === 0) return null;
  return {
    rule: 'mode',
    reason: 'other users may read or change it',
    next: 'Run "chmod 600" on it; if others had access, replace the keys.',
  };
}

function refused(file: string, { rule, reason, next }: Refusal): AppError {
  return appError('CONFIG', 'INVALID', `The keys in secrets.json are not used: ${reason}.`, {
    hint: `${next} The file is ${file}.`,
    problems: [{ file, field: '', rule, reason }],
  });
}

function write(file: string, secrets: ReadonlyMap<string, StoredSecret>): Result<null> {
  try {
    const entries = [...secrets].map(([ref, secret]) => ({ ref, ...secret }));
    const content = { version: 1, secrets: entries };
    writePrivateFile(file, `${JSON.stringify(content, null, 2)}\n`);
    return ok(null);
  } catch (error) {
    return err(notSaved(path.dirname(file), error));
  }
}

function notSaved(folder: string, error: unknown): AppError {
  return appError('HOST', 'STORAGE', `The key could not be saved (${codeOf(error)}).`, {
    hint: `Check that ${folder} can be written and the disk has room.`,
    retryable: true,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** There is no secret with this name. */
export function missingSecret(ref: string): AppError {
  return appError('CONFIG', 'MISSING', `No key is stored under "${ref}".`, {
    hint: 'Enter the key in Settings → Models, or set OPENAI_API_KEY.',
  });
}
