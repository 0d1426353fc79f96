import { z } from 'zod';
import type { Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { ApplyBoundary } from '#shared/workspace';
import type { ResponseOptions } from '../ports/llm';
import type { PromptText } from '../ports/prompt-text';

/**
 * The kinds of model calls that a pack can contribute to: a reply in Ask, planning, the answer of a run, a
 * step of a plan.
 */
export const CallKind = z.enum(['ask', 'plan', 'answer', 'step']);

export type CallKind = z.infer<typeof CallKind>;

/** The workspace content used in one step (P3 §6). */
export interface StepMaterial {
  readonly snapshot: string;
  readonly promptPack: string | null;
  readonly toolCatalog: string;
  /** The pack's templates for a kind of call; undefined when the pack has none for it. */
  readonly packBlock: (kind: CallKind) => PromptText | undefined;
  readonly contextBlock?: PromptText;
  /** Names and patterns of the shown tools. */
  readonly tools: readonly string[];
  /** A descriptor's own description of a tool; the schema always comes from the binding. */
  readonly describe: (tool: string) => string | undefined;
  /** The pack's response options for a kind of call; empty when it defines none. */
  readonly response: (kind: CallKind) => ResponseOptions;
}

/** Supplies the content of each step of a session. */
export interface StepMaterialSource {
  /** The content that a step would use now; applies nothing. */
  readonly peek: (state: SessionState, turn?: number) => Result<StepMaterial>;
  /**
   * Starts a step of a line: first applies and records the snapshot that is due at this boundary (P3 §6).
   */
  readonly begin: (
    line: { readonly sessionId: string; readonly turn: number },
    boundary: Exclude<ApplyBoundary, 'idle'>,
  ) => Result<StepMaterial>;
}
