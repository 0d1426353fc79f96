import type { Secrets } from '../../core/ports/secrets';

/** Secrets that record which values this process has received: only those can appear in its output. */
export interface TrackedSecrets extends Secrets {
  readonly known: () => readonly string[];
}

/** Records every value that is stored or read, for masking; reads nothing in advance. */
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
