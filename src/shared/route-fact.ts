import { z } from 'zod';
import { AppError } from './app-error';
import { CommandCall } from './resolver';
import { CardOutcome, Question, ReasonCode, Routing } from './route';
import { ActiveWorkContext, ChangeCause, EntityHeader } from './work-context';

const turn = z.number().int().nonnegative();
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** Facts of the control plane: routing decisions, questions, choices, and the effects of commands. */
export const routeFacts = [
  about('input-routed', { turn, ...Routing.shape }),
  about('picker-chosen', { turn, commandId: z.string(), item: EntityHeader }),
  about('picker-closed', { turn, then: z.enum(['nothing', 'model']) }),
  about('question-asked', { turn, question: Question }),
  about('question-answered', {
    turn,
    questionId: z.string(),
    option: z.string(),
    by: z.enum(['card', 'line']),
  }),
  about('question-withdrawn', {
    turn,
    questionId: z.string(),
    reason: ReasonCode.or(CardOutcome),
  }),
  about('command-invoked', { turn, commandId: z.string(), displayName: z.string(), item: EntityHeader }),
  about('command-ended', {
    turn,
    outcome: z.enum(['done', 'failed']),
    summary: z.string(),
    error: AppError.optional(),
    /** The command that takes back what this one changed. */
    undo: CommandCall.optional(),
  }),
  /** `from` and `to` are mode Ids (AGN-014 §6.3). */
  about('mode-changed', { from: z.string(), to: z.string(), cause: ChangeCause, reason: z.string() }),
  about('context-changed', { context: ActiveWorkContext.nullable(), cause: ChangeCause, reason: z.string() }),
  /**
   * The work continues in the session `opened`, in another mode. Not named `sessionId`, which is
   * the event's own session.
   */
  about('session-branched', { turn, opened: z.string(), mode: z.string() }),
] as const;
