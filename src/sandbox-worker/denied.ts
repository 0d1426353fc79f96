const DENIED = 'denied in the sandbox worker';

/** Replaces everything the worker must not do; works as a function and as a constructor. */
export function deny(): never {
  throw new Error(DENIED);
}

/**
 * Replaces native calls that report failure by number: returns libuv's EPERM. A throw there would end the
 * process.
 */
export function refuse(): number {
  return -1;
}

/**
 * Whether a failure comes from this lockdown or from V8's refusal to compile text; any other failure means
 * that the route was open.
 */
export function isDenial(thrown: unknown): boolean {
  if (thrown instanceof EvalError) return true;
  if (!(thrown instanceof Error)) return false;
  const { code, cause } = thrown as NodeJS.ErrnoException;
  return thrown.message === DENIED || code === 'EPERM' || isDenial(cause);
}
