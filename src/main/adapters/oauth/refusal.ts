/** A sign-in that Patina refuses, because what a server announced or answered is not safe to use. */
export interface Refusal extends TypeError {
  readonly signInRefused: true;
}

/**
 * Builds a refusal; `reason` completes "The sign-in was refused: …". A `TypeError`, because the client passes
 * those on where it would otherwise try a weaker way.
 */
export const refusal = (reason: string): Refusal =>
  Object.assign(new TypeError(reason), { signInRefused: true as const });

/** The refusal behind an error, if there is one. */
export function refusalOf(error: unknown): Refusal | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('signInRefused' in cause) return cause as Refusal;
  }
  return null;
}
