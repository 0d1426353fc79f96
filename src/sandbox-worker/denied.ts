const DENIED = 'denied in the sandbox worker';

/** Stands in for everything the worker must not do; works as a function and as a constructor. */
export function deny(): never {
  throw new Error(DENIED);
}

/** Stands in for native calls, which say no with a number: libuv's EPERM. A throw there would end the process. */
export function refuse(): number {
  return -1;
}

/** Whether a failure is this lockdown's own, or V8's refusal to turn text into code; any other means the way was open. */
export function isDenial(thrown: unknown): boolean {
  if (thrown instanceof EvalError) return true;
  if (!(thrown instanceof Error)) return false;
  const { code, cause } = thrown as NodeJS.ErrnoException;
  return thrown.message === DENIED || code === 'EPERM' || isDenial(cause);
}
