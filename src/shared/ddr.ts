import { z } from 'zod';
import { ConfigProblem } from './app-error';
import type { Json } from './json';
import { JsonObject } from './json';

/** A call of the DDR manager. */
export const DdrCall = z.strictObject({ operation: z.string(), payload: JsonObject });
export type DdrCall = z.infer<typeof DdrCall>;

export const DdrErrorCode = z.enum([
  'unknown_operation',
  'invalid_payload',
  'not_found',
  'conflict',
  'approval_required',
  'storage',
]);
export type DdrErrorCode = z.infer<typeof DdrErrorCode>;

export interface DdrError {
  readonly code: DdrErrorCode;
  readonly message: string;
}

/** Every answer of the DDR manager has one of these shapes. */
export type DdrAnswer =
  { readonly ok: true; readonly result: Json } | { readonly ok: false; readonly error: DdrError };

/** `AGN-014`: three letters and a number of at least three digits. */
export const DdrId = z.string().regex(/^[A-Z]{3}-\d{3,6}$/, 'must look like AGN-014');
export const DdrTla = z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters');

/** A family of documents: `AGN` for the agent's behaviour. */
export const DdrTlaRow = z.strictObject({
  tla: DdrTla,
  title: z.string().trim().min(1).max(80),
  description: z.string().trim().max(500).default(''),
});
export type DdrTlaRow = z.infer<typeof DdrTlaRow>;

export const DdrStatus = z.enum(['draft', 'in_review', 'approved', 'deprecated']);
export type DdrStatus = z.infer<typeof DdrStatus>;

/** Who approved and when: local time with its offset from UTC. */
export const DdrApproval = z.object({ by: z.string(), at: z.string() });
export type DdrApproval = z.infer<typeof DdrApproval>;

const part = { status: z.enum(['draft', 'approved']), approval: DdrApproval.nullable() };

/** A goal or chapter changed after its approval becomes a draft again. */
export const DdrGoal = z.object({ text: z.string(), ...part });
export type DdrGoal = z.infer<typeof DdrGoal>;

export const DdrChapter = z.object({
  chapterId: z.string(),
  title: z.string(),
  summary: z.string(),
  details: z.string(),
  ...part,
});
export type DdrChapter = z.infer<typeof DdrChapter>;

/** A row of `list_ddrs`. */
export const DdrSummary = z.object({
  id: DdrId,
  tla: DdrTla,
  title: z.string(),
  summary: z.string(),
  aliases: z.array(z.string()),
  status: DdrStatus,
  approval: DdrApproval.nullable(),
  goalStatus: z.enum(['none', 'draft', 'approved']),
  chapterCount: z.number().int(),
  approvedChapterCount: z.number().int(),
  /** `seed`: shipped with Patina and never changed here. */
  origin: z.enum(['home', 'seed']),
});
export type DdrSummary = z.infer<typeof DdrSummary>;

/** Result of `get_ddr`: the document in parts, and its markdown without the front matter. */
export const Ddr = DdrSummary.extend({
  goal: DdrGoal.nullable(),
  chapters: z.array(DdrChapter),
  /** Hashes of the workflow definitions that this document approves, by workflow id. */
  workflows: z.record(z.string(), z.string()),
  /** Its status is approved, but its text differs from the approved text. */
  changedSinceApproval: z.boolean(),
  markdown: z.string(),
});
export type Ddr = z.infer<typeof Ddr>;

/** Result of `list_ddrs`; an unreadable document is a problem and hides no other. */
export const DdrList = z.object({ ddrs: z.array(DdrSummary), problems: z.array(ConfigProblem) });
export type DdrList = z.infer<typeof DdrList>;

/**
 * A row of `hits` in the result of `search_ddrs`. Each match in `snippet` is between `\u0001` and `\u0002`.
 */
export const DdrSearchHit = z.object({
  id: DdrId,
  title: z.string(),
  /** The chapter that contains the hit; null above the first chapter. */
  chapterId: z.string().nullable(),
  place: z.string(),
  snippet: z.string(),
});
export type DdrSearchHit = z.infer<typeof DdrSearchHit>;

/**
 * Result of `diff_ddr`: a line diff of the content (body, title, summary and aliases), with line numbers of
 * the stored text.
 */
export const DdrDiff = z.object({
  id: DdrId,
  against: z.enum(['approved', 'previous']),
  /** False when there is no earlier text; then there are no hunks. */
  available: z.boolean(),
  added: z.number().int(),
  removed: z.number().int(),
  hunks: z.array(
    z.object({
      oldStart: z.number().int(),
      newStart: z.number().int(),
      lines: z.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })),
    }),
  ),
});
export type DdrDiff = z.infer<typeof DdrDiff>;
