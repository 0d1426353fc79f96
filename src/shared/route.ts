import { z } from 'zod';
import { QuestionCall } from './question-call';
import { ResolverSource } from './resolver';
import { EntityHeader } from './work-context';

/** Why a line goes on to the model; a closed list, explained in the glossary. */
export const ReasonCode = z.enum([
  'no-match',
  'empty',
  'too-long',
  'many-lines',
  'unresolved',
  'question-mark',
  'unknown-slash',
  'question-declined',
  'question-withdrawn',
  'role-required',
]);
export type ReasonCode = z.infer<typeof ReasonCode>;

/** Why the card of a call closed without an answer: the call was called off, or the workflow it was made in ended. */
export const CardOutcome = z.enum(['cancelled', 'workflow-ended']);
export type CardOutcome = z.infer<typeof CardOutcome>;

/** A choice a question offers: choosing it routes to this command and id. */
export const QuestionChoice = z.strictObject({
  label: z.string(),
  commandId: z.string(),
  resolvedId: z.string().optional(),
});
export type QuestionChoice = z.infer<typeof QuestionChoice>;

/** What the router emits: exactly one of four (AGN-000037 §7, Action shapes). */
export const Action = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('open-picker'),
    commandId: z.string(),
    pickerType: z.string().optional(),
    source: ResolverSource,
    prefilterText: z.string().optional(),
    highlightId: z.string().optional(),
    /** The line that is routed next once something was chosen: what was asked for waits for the choice. */
    resume: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('invoke-command'), commandId: z.string(), resolvedId: z.string() }),
  z.strictObject({
    type: z.literal('ask-clarifying-question'),
    questionText: z.string(),
    options: z.array(z.string()).optional(),
    commandId: z.string().optional(),
    resolvedId: z.string().optional(),
    /** With a choice between commands or items, what each of `options` leads to, in their order. */
    choices: z.array(QuestionChoice).optional(),
    /** The line that is routed next once the answer was carried out: what was asked for waits for it. */
    resume: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('continue-with-llm'), reasonCode: ReasonCode.optional() }),
]);
export type Action = z.infer<typeof Action>;

/** How a slot was resolved; only the first two are strict. */
export const Tier = z.enum(['exact-id', 'exact-name', 'prefix', 'keyword', 'near-miss']);
export type Tier = z.infer<typeof Tier>;

/** One pattern that fitted the line, what its slot resolved to, and why it won or did not. */
export const RouteCandidate = z.strictObject({
  commandId: z.string(),
  /** The pattern as it is written in the command's row, or the slash name. */
  pattern: z.string(),
  source: ResolverSource,
  /** What stood in the slot; none for a launcher. */
  slot: z.string().optional(),
  tier: Tier.optional(),
  strict: z.boolean(),
  /** The best items, at most five. */
  items: z.array(EntityHeader),
  itemCount: z.number().int().nonnegative(),
  outcome: z.enum(['won', 'lost', 'unresolved']),
  why: z.string(),
});
export type RouteCandidate = z.infer<typeof RouteCandidate>;

/** The router's decision as data: everything it considered, in order, and the rule that decided. */
export const RouteTrace = z.strictObject({
  /** The line as the patterns saw it; empty when it was refused before that. */
  folded: z.string(),
  mode: z.string(),
  candidates: z.array(RouteCandidate),
  /** The rule that decided, one sentence. */
  decision: z.string(),
  /** The open question this line was held against, and what it was taken for. */
  question: z
    .strictObject({
      questionId: z.string(),
      reading: z.enum(['yes', 'no', 'choice', 'weak-yes', 'no-answer']),
    })
    .optional(),
  /** Sources that could not be searched. */
  unavailable: z.array(z.string()).default([]),
});
export type RouteTrace = z.infer<typeof RouteTrace>;

export const Routing = z.strictObject({ action: Action, trace: RouteTrace });
export type Routing = z.infer<typeof Routing>;

/** A question of the host. The router's may be answered by the next line; a model's proposal only on its card. */
export const Question = z.strictObject({
  questionId: z.string(),
  asker: z.enum(['router', 'model']),
  text: z.string(),
  /** A second line: what would happen, or the model's reason. Data, never markup. */
  detail: z.string().optional(),
  /** How the detail reads: lines with `+` and `-` before them, or words. */
  detailForm: z.enum(['words', 'difference']).optional(),
  call: QuestionCall.optional(),
  options: z.array(z.string()).min(1),
  commandId: z.string().optional(),
  resolvedId: z.string().optional(),
  choices: z.array(QuestionChoice).optional(),
  /** The line that is routed next once the answer was carried out. */
  resume: z.string().optional(),
  /** Words beside the usual ones that say yes. */
  yesWords: z.array(z.string()).optional(),
  /** Whether a yes leads to a side effect: then "ok" is not enough. */
  binding: z.boolean(),
  /** The mode's Key and the focus's id at the time; a change of either voids the question. */
  mode: z.string(),
  focusId: z.string().nullable(),
  /** 2 when the same was asked again because the answer was no clear one. */
  asked: z.number().int().min(1).max(2),
});
export type Question = z.infer<typeof Question>;
