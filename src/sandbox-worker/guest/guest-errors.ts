/** The host's view of a typed error; a script cannot create one. */
export interface TypedError {
  readonly kind: string;
  readonly code: string;
  readonly tool?: string;
  readonly call?: number;
}

export interface GuestErrors {
  /** Creates or completes an Error whose `.kind`, `.code` and `.tool` scripts can read. */
  typedError(failure: TypedError, message: string, error?: Error): Error;
  /** Describes any thrown value in at most 500 characters. */
  describe(thrown: unknown): { message: string; stack: string; failure: TypedError | null };
}

/** Runs inside the guest as text, so it must not close over anything. */
export function createGuestErrors(): GuestErrors {
  const ours = new WeakMap<object, TypedError>();
  const bounded = (value: unknown, maxLength: number): string =>
    typeof value === 'string' ? value.slice(0, maxLength) : '';
  return {
    typedError(failure, message, error = new Error()) {
      const { kind, code, tool } = failure;
      for (const [name, value] of Object.entries({ message, kind, code, tool })) {
        if (value !== undefined)
          Reflect.defineProperty(error, name, { value, writable: true, configurable: true });
      }
      ours.set(error, failure);
      return error;
    },
    describe(thrown) {
      if (typeof thrown === 'string') return { message: thrown.slice(0, 500), stack: '', failure: null };
      if (typeof thrown !== 'object' || thrown === null) {
        const kind = thrown === null || thrown === undefined ? '' : `${typeof thrown}: `;
        return {
          message: `The script threw ${kind}${String(thrown).slice(0, 400)}.`,
          stack: '',
          failure: null,
        };
      }
      const failure = ours.get(thrown) ?? null;
      try {
        const { name, message, stack } = thrown as Partial<Error>;
        const text = bounded(message, 400) || 'The script threw an object with no message.';
        const named = failure === null && bounded(name, 60) !== '' ? `${bounded(name, 60)}: ${text}` : text;
        return { message: named, stack: bounded(stack, 2_000), failure };
      } catch {
        return { message: 'The script threw an object that cannot be read.', stack: '', failure };
      }
    },
  };
}
