import { z } from 'zod';
import type { ResponseOptions } from '../ports/llm';
import type { PromptText } from '../ports/prompt-text';

/** The kinds of model calls a pack can speak in: a reply in Ask, planning, the answer of a run, a step of a plan. */
export const CallKind = z.enum(['ask', 'plan', 'answer', 'step']);

export type CallKind = z.infer<typeof CallKind>;

/** What the workspace brings to one step (P3 Sync + Apply 5). */
export interface StepMaterial {
  readonly snapshot: string;
  readonly promptPack: string | null;
  readonly toolCatalog: string;
  /** The pack's templates for a kind of call; undefined when it does not speak in it. */
  readonly packBlock: (kind: CallKind) => PromptText | undefined;
  readonly contextBlock?: PromptText;
  /** Names and patterns of the tools that are shown. */
  readonly tools: readonly string[];
  /** A descriptor's own words for a tool; the schema is always the binding's. */
  readonly describe: (tool: string) => string | undefined;
  /** How the pack wants a kind of call answered; nothing where it does not speak. */
  readonly response: (kind: CallKind) => ResponseOptions;
}
