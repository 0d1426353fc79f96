import type { ElicitAnswer, Elicitation } from '#shared/elicitation';

/** Puts a server's form before the user. Without a person to ask there is no such port, and servers are told that nobody can be asked. */
export type Elicit = (asked: Elicitation, signal: AbortSignal) => Promise<ElicitAnswer>;
