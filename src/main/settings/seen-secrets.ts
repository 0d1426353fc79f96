import type { Secrets } from '../../core/ports/secrets';

/** Secrets that remember which values this process was given: only those can turn up in what it writes. */
export interface SeenSecrets extends Secrets {
  readonly seen: () => readonly string[];
}

/** Remembers every value that is kept or handed out, for masking; nothing is read ahead of its use. */
export function seenSecrets(secrets: Secrets): SeenSecrets {
  const seen = new Set<string>();
  return {
    status: () => secrets.status(),
    get(ref) {
      const value = secrets.get(ref);
      if (value.ok) seen.add(value.value);
      return value;
    },
    set(ref, value, options) {
      seen.add(value);
      return secrets.set(ref, value, options);
    },
    remove: (ref) => secrets.remove(ref),
    seen: () => [...seen],
  };
}
