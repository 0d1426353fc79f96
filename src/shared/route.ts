import { z } from 'zod';
import { QuestionCall } from './question-call';
import { ResolverSource } from './resolver';
import { EntityHeader } from './work-context';

/** Why a line goes to the model; a closed list, explained in the glossary. */
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

/**
 * Why a call's card closed without an answer: the call was cancelled, or the workflow it was made in ended.
 */
export const CardOutcome = z.enum(['cancelled', 'workflow-ended']);
export type CardOutcome = z.infer<typeof CardOutcome>;

/** A choice offered by a question; choosing it routes to this command and id. */
export const QuestionChoice = z.strictObject({
  label: z.string(),
  commandId: z.string(),
  resolvedId: z.string().optional(),
});
export type QuestionChoice = z.infer<typeof QuestionChoice>;

/** The router's output: exactly one of four actions (AGN-000037 §7, Action shapes). */
export const Action = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('open-picker'),
    commandId: z.string(),
    pickerType: z.string().optional(),
    source: ResolverSource,
    prefilterText: z.string().optional(),
    highlightId: z.string().optional(),
    /** The line to route once the user has chosen; the original request waits for the choice. */
    resume: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('invoke-command'), commandId: z.string(), resolvedId: z.string() }),
  z.strictObject({
    type: z.literal('ask-clarifying-question'),
    questionText: z.string(),
    options: z.array(z.string()).optional(),
    commandId: z.string().optional(),
    resolvedId: z.string().optional(),
    /** For a choice between commands or items: what each entry of `options` leads to, in the same order. */
    choices: z.array(QuestionChoice).optional(),
    /** The line to route once the answer has been acted on; the original request waits for it. */
    resume: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('continue-with-llm'), reasonCode: ReasonCode.optional() }),
]);
export type Action = z.infer<typeof Action>;

/** How a slot was resolved; only the first two tiers are strict. */
export const Tier = z.enum(['exact-id', 'exact-name', 'prefix', 'keyword', 'near-miss']);
export type Tier = z.infer<typeof Tier>;

/** One pattern that matched the line, the resolution of its slot, and why it won or lost. */
export const RouteCandidate = z.strictObject({
  commandId: z.string(),
  /** The pattern as written in the command's row, or the slash name. */
  pattern: z.string(),
  source: ResolverSource,
  /** The text of the slot; absent for a launcher. */
  slot: z.string().optional(),
  tier: Tier.optional(),
  strict: z.boolean(),
  /** The best matching items, at most five. */
  items: z.array(EntityHeader),
  itemCount: z.number().int().nonnegative(),
  outcome: z.enum(['won', 'lost', 'unresolved']),
  why: z.string(),
});
export type RouteCandidate = z.infer<typeof RouteCandidate>;

/** The router's decision as data: everything it considered, in order, and the rule that decided. */
export const RouteTrace = z.strictObject({
  /** The normalized line that the patterns were matched against; empty when it was rejected earlier. */
  folded: z.string(),
  mode: z.string(),
  candidates: z.array(RouteCandidate),
  /** The deciding rule, in one sentence. */
  decision: z.string(),
  /** The open question that this line was compared with, and how the line was interpreted. */
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

/**
 * A question from the host. The next line may answer a router's question; a model's proposal can be
 * answered only on its card.
 */
export const Question = z.strictObject({
  questionId: z.string(),
  asker: z.enum(['router', 'model']),
  text: z.string(),
  /** A second line: the effect, or the model's reason. Data, never markup. */
  detail: z.string().optional(),
  /** Format of the detail: a diff with `+` and `-` lines, or prose. */
  detailForm: z.enum(['words', 'difference']).optional(),
  call: QuestionCall.optional(),
  options: z.array(z.string()).min(1),
  commandId: z.string().optional(),
  resolvedId: z.string().optional(),
  choices: z.array(QuestionChoice).optional(),
  /** The line to route once the answer has been acted on; the original request waits for it. */
  resume: z.string().optional(),
  /** Additional words that mean yes. */
  yesWords: z.array(z.string()).optional(),
  /** Whether a yes causes a side effect; if so, "ok" is not enough. */
  binding: z.boolean(),
  /**
   * The mode's Key and the focus's id when the question was asked; a change of either withdraws the question.
   */
  mode: z.string(),
  focusId: z.string().nullable(),
  /** 2 when the question was repeated because the first answer was unclear. */
  asked: z.number().int().min(1).max(2),
});
export type Question = z.infer<typeof Question>;

/** How much of the turn's reply was there when something happened beside it. */
export interface ReplyPlace {
  /** Characters of its text. */
  readonly text: number;
  /** Calls that had ended. */
  readonly calls: number;
}
