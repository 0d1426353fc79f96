import { z } from 'zod';
import { DdrId, DdrStatus } from './ddr';
import { JsonObject } from './json';

/** `create_ddr`: small letters, digits and underscores; never changes and is never used for another workflow. */
export const WorkflowId = z.string().regex(/^[a-z][a-z0-9_]{2,63}$/, 'must look like create_ddr');

/** TUL-006 §8.5. */
export const WorkflowStatus = z.enum(['active', 'deprecated', 'disabled']);
export type WorkflowStatus = z.infer<typeof WorkflowStatus>;

/** TUL-006 §7.8. */
export const WorkflowVisibility = z.enum(['public', 'hidden', 'experimental']);
export type WorkflowVisibility = z.infer<typeof WorkflowVisibility>;

/** `1.4.0` (TUL-006 §8.4); no pre-release parts, as a draft is a document of its own. */
export const WorkflowVersion = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/, 'must look like 1.0.0');

const line = z.string().trim().min(1).max(400);
const text = z.string().trim().min(1).max(4_000);
/** What all patterns of a workflow may say together: many times what any needs, and little enough to read thousands of them. */
const patternCharacters = 4_000;
/** Counted as they are matched: some signs stand for a whole phrase. */
const matchedLength = (texts: readonly string[]): number =>
  texts.reduce((sum, each) => sum + each.normalize('NFKC').length, 0);

/** The phrases by which a workflow is recognized (TUL-006 §3.1): a small set. */
const IntentPatterns = z
  .array(line)
  .min(1)
  .max(50)
  .refine((texts) => matchedLength(texts) <= patternCharacters, {
    message: `must have at most ${patternCharacters.toLocaleString('en')} characters together`,
  });

/** A tool by its one exact name, `agent_ddr_manager` or `mcp://project.git_diff`: never a pattern (TUL-006 §6.3). */
export const PermittedTool = z
  .string()
  .regex(
    /^(?:[a-z][a-z0-9_]{1,63}|mcp:\/\/[a-z0-9_-]+\.[A-Za-z0-9_.-]+)$/,
    'must be the exact name of one tool',
  );

/** What an answer is held to; a rule that does not fit the input's type is found when a workflow is checked. */
export const InputValidation = z.strictObject({
  minLength: z.number().int().nonnegative().optional(),
  maxLength: z.number().int().positive().optional(),
  /** Of a number. */
  min: z.number().optional(),
  max: z.number().optional(),
  /** Of a choice: every answer there is. */
  options: z.array(line).min(1).max(50).optional(),
  /** Of a path: it must be there, below the project folder. */
  exists: z.boolean().optional(),
  /** Of a DDR: the status it must have. */
  ddrStatus: z.array(DdrStatus).min(1).optional(),
});
export type InputValidation = z.infer<typeof InputValidation>;

export const InputType = z.enum(['text', 'number', 'boolean', 'choice', 'path', 'ddr']);
export type InputType = z.infer<typeof InputType>;

/** One of RequiredInputs (TUL-006 §4.2). `required: false` may be left empty; it is asked for all the same. */
export const WorkflowInput = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must look like ddr_title'),
  question: line,
  type: InputType.default('text'),
  required: z.boolean().default(true),
  validation: InputValidation.default({}),
});
export type WorkflowInput = z.infer<typeof WorkflowInput>;

const because = line.optional();
/**
 * One of Preconditions (TUL-006 §7.4), a claim about the session that the host can decide. `because` is told with a
 * failing one. `input` names one of RequiredInputs whose answer is meant; such a row is decided when it is there.
 */
export const WorkflowPrecondition = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('mode'), modes: z.array(line).min(1), because }),
  z.strictObject({ kind: z.literal('focus'), entityType: line, because }),
  z.strictObject({
    kind: z.literal('ddr'),
    ddr: DdrId.optional(),
    input: line.optional(),
    statuses: z.array(DdrStatus).min(1),
    because,
  }),
  /** A workflow that was completed in this session or, with `state: active`, one that is running in it. */
  z.strictObject({
    kind: z.literal('workflow'),
    workflowId: WorkflowId,
    state: z.enum(['completed', 'active']).optional(),
    because,
  }),
  /** A path below the project folder; `.` is the folder itself. */
  z.strictObject({
    kind: z.literal('file'),
    path: line.optional(),
    input: line.optional(),
    because,
  }),
]);
export type WorkflowPrecondition = z.infer<typeof WorkflowPrecondition>;

/** What the host can see by itself about whether a workflow is finished. */
export const CompletionCheck = z.discriminatedUnion('kind', [
  /** A successful call of a tool in this workflow; `arguments` must be among the call's own. */
  z.strictObject({ kind: z.literal('tool-called'), tool: PermittedTool, arguments: JsonObject.optional() }),
  z.strictObject({ kind: z.literal('file'), path: line.optional(), input: line.optional() }),
  z.strictObject({
    kind: z.literal('ddr'),
    ddr: DdrId.optional(),
    input: line.optional(),
    statuses: z.array(DdrStatus).min(1),
  }),
]);
export type CompletionCheck = z.infer<typeof CompletionCheck>;

/** One of CompletionCriteria. Without a check, it is the user who confirms it (TUL-006 §6.6). */
export const CompletionCriterion = z.strictObject({ text: line, check: CompletionCheck.optional() });
export type CompletionCriterion = z.infer<typeof CompletionCriterion>;

/**
 * One of RequiredApprovals (TUL-006 §7.3, §7.7): calls of this tool need a recorded approval of exactly that call. `when`:
 * only calls whose argument of that name is one of these, as `{"operation": ["approve_ddr"]}`; absent: every call.
 */
export const RequiredApproval = z.strictObject({
  action: line,
  tool: PermittedTool,
  when: z.record(z.string(), z.array(z.string()).min(1)).optional(),
});
export type RequiredApproval = z.infer<typeof RequiredApproval>;

export const FollowUpOption = z.strictObject({ text: line, workflowId: WorkflowId.optional() });
export type FollowUpOption = z.infer<typeof FollowUpOption>;

/**
 * A workflow as it is declared: the manifest of TUL-006 §4.2 by its own names, and what governs it. A later field is
 * optional and has no default, so that the hash of a definition without it stays what it is (§8.10); what a pack wants to
 * add without one goes into `Extensions`.
 */
export const WorkflowDefinition = z.strictObject({
  WorkflowId,
  Title: line,
  Description: line,
  UserIntentPatterns: IntentPatterns,
  RequiredInputs: z.array(WorkflowInput).max(30),
  InstructionText: z.string().trim().min(1).max(32_000),
  PermittedTools: z.array(PermittedTool).max(100),
  CompletionCriteria: z.array(CompletionCriterion).min(1).max(30),
  FollowUpOptions: z.array(FollowUpOption).max(20).optional(),
  Preconditions: z.array(WorkflowPrecondition).max(30).optional(),
  Notes: text.optional(),
  Version: WorkflowVersion,
  Status: WorkflowStatus,
  Visibility: WorkflowVisibility,
  /** Whether a model may start it without the user's yes; never so while it is experimental. */
  AutoStart: z.boolean().default(false),
  RequiredApprovals: z.array(RequiredApproval).max(50).default([]),
  /** What may happen while it runs: another workflow may take over, the mode may change (by Key). */
  AllowedTransitions: z
    .strictObject({ workflows: z.array(WorkflowId).default([]), modes: z.array(line).default([]) })
    .default({ workflows: [], modes: [] }),
  /** The design record that introduces it, and where the hash of this definition was approved (§8.2, §8.8). */
  Ddr: DdrId,
  Extensions: JsonObject.optional(),
});
export type WorkflowDefinition = z.infer<typeof WorkflowDefinition>;

/** What a caller is given: the definition as it is, and what there is to say about it now (TUL-006 §8.5). */
export type WorkflowManifest = WorkflowDefinition & { readonly Warnings?: readonly string[] };

/** Where a published definition comes from. Only those of `home` can be changed; they stand before the others. */
export const WorkflowLayer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('seed') }),
  z.strictObject({ kind: z.literal('pack'), name: z.string() }),
  z.strictObject({ kind: z.literal('home') }),
]);
export type WorkflowLayer = z.infer<typeof WorkflowLayer>;

/** A published definition. `hash`: SHA-256, in hex, of the canonical JSON of the parsed definition. */
export interface WorkflowRow {
  readonly definition: WorkflowDefinition;
  readonly layer: WorkflowLayer;
  readonly hash: string;
}

/** A row of `list_workflows` (TUL-006 §4.1). */
export interface WorkflowListRow {
  readonly WorkflowId: string;
  readonly Title: string;
  readonly Description: string;
  readonly UserIntentPatterns: readonly string[];
  readonly Visibility?: 'experimental';
}

/** A row of `match_workflow` (TUL-006 §5.3); best first. */
export interface WorkflowMatch {
  readonly workflowId: string;
  /** 0 to 1; 1 when the message names the workflow. */
  readonly matchScore: number;
  readonly explanation: string;
  readonly runnable: boolean;
  /** Why it cannot be run, or what to know before (§8.5). */
  readonly note?: string;
}

/** The hashes of the definitions a session works with, by workflow id; pinned when the session begins. */
export const WorkflowVersionLock = z.record(z.string(), z.string());
export type WorkflowVersionLock = z.infer<typeof WorkflowVersionLock>;
