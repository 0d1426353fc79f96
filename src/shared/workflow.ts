import { z } from 'zod';
import { DdrId, DdrStatus } from './ddr';
import { JsonObject } from './json';

/**
 * Looks like `create_ddr`: lowercase letters, digits and underscores. Never changes and is never
 * reused for another workflow.
 */
export const WorkflowId = z.string().regex(/^[a-z][a-z0-9_]{2,63}$/, 'must look like create_ddr');

/** TUL-006 §8.5. */
export const WorkflowStatus = z.enum(['active', 'deprecated', 'disabled']);
export type WorkflowStatus = z.infer<typeof WorkflowStatus>;

/** TUL-006 §7.8. */
export const WorkflowVisibility = z.enum(['public', 'hidden', 'experimental']);
export type WorkflowVisibility = z.infer<typeof WorkflowVisibility>;

/** `1.4.0` (TUL-006 §8.4); no pre-release parts, because a draft is a separate document. */
export const WorkflowVersion = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/, 'must look like 1.0.0');

const line = z.string().trim().min(1).max(400);
const text = z.string().trim().min(1).max(4_000);
/**
 * Limit for all patterns of a workflow together: far more than any workflow needs, and small enough to match
 * thousands of workflows.
 */
const patternCharacters = 4_000;
/**
 * Counts the length after NFKC normalization, as matching does: one character can expand to a whole phrase.
 */
const matchedLength = (texts: readonly string[]): number =>
  texts.reduce((sum, each) => sum + each.normalize('NFKC').length, 0);

/** A small set of phrases that identify the workflow (TUL-006 §3.1). */
const IntentPatterns = z
  .array(line)
  .min(1)
  .max(50)
  .refine((texts) => matchedLength(texts) <= patternCharacters, {
    message: `must have at most ${patternCharacters.toLocaleString('en')} characters together`,
  });

/**
 * The exact name of one tool, `agent_ddr_manager` or `mcp://project.git_diff`, never
 * a pattern (TUL-006 §6.3).
 */
export const PermittedTool = z
  .string()
  .regex(
    /^(?:[a-z][a-z0-9_]{1,63}|mcp:\/\/[a-z0-9_-]+\.[A-Za-z0-9_.-]+)$/,
    'must be the exact name of one tool',
  );

/**
 * Validation rules for an answer; checking the workflow reports a rule that does not fit the input's type.
 */
export const InputValidation = z.strictObject({
  minLength: z.number().int().nonnegative().optional(),
  maxLength: z.number().int().positive().optional(),
  /** For numbers. */
  min: z.number().optional(),
  max: z.number().optional(),
  /** For choices: all possible answers. */
  options: z.array(line).min(1).max(50).optional(),
  /** For paths: must exist below the project folder. */
  exists: z.boolean().optional(),
  /** For DDRs: the allowed statuses. */
  ddrStatus: z.array(DdrStatus).min(1).optional(),
});
export type InputValidation = z.infer<typeof InputValidation>;

export const InputType = z.enum(['text', 'number', 'boolean', 'choice', 'path', 'ddr']);
export type InputType = z.infer<typeof InputType>;

/**
 * One of RequiredInputs (TUL-006 §4.2). With `required: false` the user is still
 * asked but may leave it empty.
 */
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
 * One of Preconditions (TUL-006 §7.4), a claim about the session that the host can evaluate. `because` is
 * shown when it fails. `input` names the RequiredInput whose answer is checked; such a row is evaluated once
 * that answer is available.
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
  /** A workflow that was completed in this session or, with `state: active`, is active in it. */
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

/** A completion check that the host can evaluate itself. */
export const CompletionCheck = z.discriminatedUnion('kind', [
  /** A successful call of the tool in this workflow, whose arguments include `arguments`. */
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

/** One of CompletionCriteria. Without a check, the user confirms it (TUL-006 §6.6). */
export const CompletionCriterion = z.strictObject({ text: line, check: CompletionCheck.optional() });
export type CompletionCriterion = z.infer<typeof CompletionCriterion>;

/**
 * One of RequiredApprovals (TUL-006 §7.3, §7.7): a call of this tool needs a recorded approval of exactly
 * that call. `when` limits this to calls whose argument has one of the listed values, as in `{"operation":
 * ["approve_ddr"]}`; absent: every call.
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
 * A workflow declaration: the manifest of TUL-006 §4.2 with its own field names, plus governance fields.
 * Fields added later must be optional and have no default, so that the hash of a definition without them does
 * not change (TUL-006 §8.10); packs put their additions into `Extensions`.
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
  /** Whether a model may start it without asking the user; ignored while it is experimental. */
  AutoStart: z.boolean().default(false),
  RequiredApprovals: z.array(RequiredApproval).max(50).default([]),
  /**
   * Transitions allowed while it is active: workflows that may take over, and modes (by Key) that
   * the session may change to.
   */
  AllowedTransitions: z
    .strictObject({ workflows: z.array(WorkflowId).default([]), modes: z.array(line).default([]) })
    .default({ workflows: [], modes: [] }),
  /** The design record that introduces the workflow and approves the hash of this definition (TUL-006 §8.2, §8.8). */
  Ddr: DdrId,
  Extensions: JsonObject.optional(),
});
export type WorkflowDefinition = z.infer<typeof WorkflowDefinition>;

/** The manifest returned to callers: the unchanged definition plus current warnings (TUL-006 §8.5). */
export type WorkflowManifest = WorkflowDefinition & { readonly Warnings?: readonly string[] };

/**
 * The layer a published definition comes from. Only `home` definitions can be changed; they
 * override the other layers.
 */
export const WorkflowLayer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('seed') }),
  z.strictObject({ kind: z.literal('pack'), name: z.string() }),
  z.strictObject({ kind: z.literal('home') }),
]);
export type WorkflowLayer = z.infer<typeof WorkflowLayer>;

/** A published definition. `hash`: hex SHA-256 of the canonical JSON of the parsed definition. */
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

/** A row of `match_workflow` (TUL-006 §5.3), best match first. */
export interface WorkflowMatch {
  readonly workflowId: string;
  /** 0 to 1; 1 when the message names the workflow. */
  readonly matchScore: number;
  readonly explanation: string;
  readonly runnable: boolean;
  /** Why it cannot run, or a warning about running it (TUL-006 §8.5). */
  readonly note?: string;
}

/** Hashes of the definitions a session uses, by workflow id; pinned when the session begins. */
export const WorkflowVersionLock = z.record(z.string(), z.string());
export type WorkflowVersionLock = z.infer<typeof WorkflowVersionLock>;
