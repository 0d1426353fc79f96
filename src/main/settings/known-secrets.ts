import type { Secrets } from '../../core/ports/secrets';

/** Secrets that remember which values this process was given: only those can turn up in what it writes. */
export interface TrackedSecrets extends Secrets {
  readonly known: () => readonly string[];
}

/** Remembers every value that is kept or handed out, for masking; nothing is read ahead of its use. */
export function trackSecrets(secrets: Secrets): TrackedSecrets {
  const known = new Set<string>();
  return {
    status: () => secrets.status(),
    get(ref) {
      const value = secrets.get(ref);
      if (value.ok) known.add(value.value);
      return value;
    },
    set(ref, value, options) {
      known.add(value);
      return secrets.set(ref, value, options);
    },
    remove: (ref) => secrets.remove(ref),
    known: () => [...known],
  };
}
