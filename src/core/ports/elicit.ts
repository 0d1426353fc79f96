import type { ElicitAnswer, Elicitation } from '#shared/elicitation';

/**
 * Shows a server's form to the user. The port is absent when no user can be asked; servers are then told so.
 */
export type Elicit = (request: Elicitation, signal: AbortSignal) => Promise<ElicitAnswer>;
