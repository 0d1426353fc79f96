import { isSecretName } from '#shared/secret-shapes';
import type { Secrets } from '../../core/ports/secrets';

/** Secrets that record which values this process has received: only those can appear in its output. */
export interface TrackedSecrets extends Secrets {
  readonly known: () => readonly string[];
}

/** A secret and, in a stored sign-in, each token of it. */
function valuesIn(secret: string): readonly string[] {
  if (!secret.startsWith('{')) return [secret];
  const values: string[] = [secret];
  try {
    JSON.parse(secret, (name, value: unknown) => {
      if (typeof value === 'string' && isSecretName(name)) values.push(value);
      return value;
    });
  } catch {
    // A key that only looks like JSON: it is known as a whole.
  }
  return values;
}

/** Records every value that is stored or read, for masking; reads nothing in advance. */
export function trackSecrets(secrets: Secrets): TrackedSecrets {
  const known = new Set<string>();
  const add = (value: string): void => valuesIn(value).forEach((one) => known.add(one));
  return {
    status: () => secrets.status(),
    get(ref) {
      const value = secrets.get(ref);
      if (value.ok) add(value.value);
      return value;
    },
    set(ref, value, options) {
      add(value);
      return secrets.set(ref, value, options);
    },
    remove: (ref) => secrets.remove(ref),
    place: (ref) => secrets.place(ref),
    known: () => [...known],
  };
}
