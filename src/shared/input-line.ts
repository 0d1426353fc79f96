import { z } from 'zod';
import { ContextItems } from './context-item';
import { ModelRef } from './model';
import { ModelParameters } from './model-parameters';
import { Review } from './plan-review';
import { RunMode } from './run-mode';
import { WorkspaceOverride } from './workspace';

/** Maximum length of a line of input; the IPC schema rejects longer pastes with a clear error. */
export const maxMessageLength = 1_000_000;

/** A line of input, from the composer to its event; main adds its session and turn. */
export const InputLine = z.object({
  text: z.string(),
  runMode: RunMode,
  model: ModelRef,
  /** What the user attached to the line. */
  items: ContextItems.optional(),
  /** Overrides the session's own prompt pack, tool catalog or snapshot for this line. */
  workspace: WorkspaceOverride.optional(),
  /** Parameters of this line's answer, before those of its session and its model; of a run, only the effort. */
  parameters: ModelParameters.optional(),
  /** Agent Mode only: when the run waits for the user; absent: `writes`. */
  review: Review.optional(),
  /** Agent Mode only: ignore cached plans for the same goal. */
  planAnew: z.boolean().optional(),
  /** Agent Mode only: bypass the read cache. */
  fresh: z.boolean().optional(),
});
export type InputLine = z.infer<typeof InputLine>;

/** Where a new turn belongs in the tree of a session's turns. */
export const TurnPlace = z.object({
  /** The turn that it follows, -1 for the beginning; absent: the turn before. */
  parent: z.number().int().min(-1).optional(),
  /** The turn whose answer it regenerates; it has the same parent. */
  regenerates: z.number().int().nonnegative().optional(),
});
export type TurnPlace = z.infer<typeof TurnPlace>;
