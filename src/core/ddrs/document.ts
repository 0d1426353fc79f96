import { z } from 'zod';
import type { ConfigProblem } from '#shared/app-error';
import {
  DdrId,
  DdrStatus,
  DdrTla,
  type Ddr,
  type DdrApproval,
  type DdrChapter,
  type DdrGoal,
} from '#shared/ddr';
import { err, ok, type Result } from '#shared/result';
import type { StoredDdr } from '../ports/ddr-store';
import { canonicalHash } from '../tools/canonical-hash';
import { readFrontMatter, splitFrontMatter, type FrontMatter, type TextProblem } from './front-matter';
import { splitSections, type Body, type Section } from './sections';

const line = z.string().trim().min(1).max(200);
const approvedPart = {
  approvedBy: line.optional(),
  approvedAt: line.optional(),
  hash: z.string().optional(),
};

/** The keys that Patina knows; other keys are kept and not checked. */
const Known = z.object({
  id: DdrId,
  tla: DdrTla.optional(),
  title: line,
  summary: z.string().max(2_000).default(''),
  aliases: z.array(z.string().max(200)).max(50).default([]),
  status: DdrStatus.default('draft'),
  approvedBy: line.nullish(),
  approvedAt: line.nullish(),
  approvedHash: z.string().nullish(),
  goal: z.object(approvedPart).nullish(),
  chapters: z
    .array(z.object({ id: z.string().regex(/^C\d{1,4}$/), title: z.string(), ...approvedPart }))
    .nullish(),
  lastChapter: z.number().int().nonnegative().nullish(),
  workflows: z.record(z.string(), z.string()).nullish(),
});
export type KnownKeys = z.output<typeof Known>;

/** A chapter and the section that contains it. */
export interface PlacedChapter {
  readonly chapter: DdrChapter;
  /** Index among the body's sections. */
  readonly index: number;
}

/** A parsed design record: the stored file, its parts, and its public view. */
export interface DdrDocument {
  readonly stored: StoredDdr;
  readonly parts: FrontMatter;
  readonly known: KnownKeys;
  readonly body: Body;
  readonly goalIndex: number | null;
  readonly chapters: readonly PlacedChapter[];
  readonly ddr: Ddr;
}

const toLf = (text: string): string => text.replaceAll('\r\n', '\n');

/** Hash of the content that a chapter's approval covers. */
export const chapterHash = (chapter: Pick<DdrChapter, 'title' | 'summary' | 'details'>): string =>
  canonicalHash({ title: chapter.title, summary: chapter.summary, details: chapter.details });

export const goalHash = (text: string): string => canonicalHash({ goal: text });

/** Hash of the content that a document's approval covers: its whole text, id, title and summary. */
export const documentHash = (known: Pick<KnownKeys, 'id' | 'title' | 'summary'>, body: string): string =>
  canonicalHash({ id: known.id, title: known.title, summary: known.summary, body: toLf(body) });

interface ApprovedPart {
  readonly approvedBy?: string | null | undefined;
  readonly approvedAt?: string | null | undefined;
  readonly hash?: string | null | undefined;
}

/**
 * An approval is valid while the text equals the approved one; an approval without a hash was written by hand
 * and is always valid.
 */
function approvalOf(part: ApprovedPart | null | undefined, hash: string): DdrApproval | null {
  if (!part?.approvedBy || !part.approvedAt) return null;
  return (part.hash ?? hash) === hash ? { by: part.approvedBy, at: part.approvedAt } : null;
}

const statusOf = (approval: DdrApproval | null) => ({
  status: approval ? ('approved' as const) : ('draft' as const),
  approval,
});

/** Splits a chapter: the leading block quote is the summary, the rest are the details. */
export function splitChapter(text: string): { readonly summary: string; readonly details: string } {
  const quote = /^(?:>[^\n]*(?:\n|$))*/.exec(text)?.[0] ?? '';
  const summary = quote.replaceAll(/^> ?/gm, '').trim();
  return { summary, details: text.slice(quote.length).replace(/^\n+/, '') };
}

function toGoal(known: KnownKeys, section: Section | undefined): DdrGoal | null {
  if (!section) return null;
  const text = toLf(section.text);
  return { text, ...statusOf(approvalOf(known.goal, goalHash(text))) };
}

/** Number of the next chapter; numbers of deleted chapters are not reused. */
export function nextChapterNumber(
  known: KnownKeys,
  chapters: readonly { readonly chapterId: string }[],
): number {
  const numbers = chapters.map(({ chapterId }) => Number(chapterId.slice(1)));
  return Math.max(0, known.lastChapter ?? 0, ...numbers) + 1;
}

type ChapterRow = NonNullable<KnownKeys['chapters']>[number];

/** Matches chapters to their ids by title; a heading without an id gets the next free one. */
function placeChapters(known: KnownKeys, body: Body, goalIndex: number | null): readonly PlacedChapter[] {
  const rows: (ChapterRow | null)[] = [...(known.chapters ?? [])];
  const placed = body.sections.flatMap((section, index) => {
    if (index === goalIndex) return [];
    const at = rows.findIndex((row) => row?.title === section.title);
    const row = at === -1 ? null : (rows.splice(at, 1, null)[0] ?? null);
    return [{ section, index, row }];
  });
  const taken = (known.chapters ?? []).map(({ id }) => ({ chapterId: id }));
  let next = nextChapterNumber(known, taken);
  return placed.map(({ section, index, row }) => {
    const content = { title: section.title, ...splitChapter(toLf(section.text)) };
    const chapterId = row?.id ?? `C${next++}`;
    return { index, chapter: { chapterId, ...content, ...statusOf(approvalOf(row, chapterHash(content))) } };
  });
}

function checkKnown(known: KnownKeys): TextProblem | null {
  const { id, tla, status, approvedBy, approvedAt } = known;
  if (tla !== undefined && !id.startsWith(`${tla}-`)) {
    return { field: 'tla', rule: 'matches-id', reason: `"${tla}" does not fit the id ${id}.` };
  }
  if (status === 'approved' && (!approvedBy || !approvedAt)) {
    const field = approvedBy ? 'approvedAt' : 'approvedBy';
    return { field, rule: 'approval', reason: 'An approved document says who approved it, and when.' };
  }
  const ids = (known.chapters ?? []).map((row) => row.id);
  const twice = ids.find((one, index) => ids.indexOf(one) !== index);
  if (twice === undefined) return null;
  return { field: 'chapters', rule: 'unique', reason: `The chapter ${twice} appears twice.` };
}

function readKnown(yaml: string): Result<KnownKeys, TextProblem> {
  const values = readFrontMatter(yaml);
  if (!values.ok) return values;
  const known = Known.safeParse(values.value);
  if (!known.success) {
    const [issue] = known.error.issues;
    const field = issue?.path.map(String).join('.') ?? '';
    return err({ field, rule: issue?.code ?? 'schema', reason: `${issue?.message ?? 'It is not valid'}.` });
  }
  const wrong = checkKnown(known.data);
  return wrong ? err(wrong) : ok(known.data);
}

type DdrParts = Pick<DdrDocument, 'stored' | 'known' | 'parts' | 'chapters'> & {
  readonly goal: DdrGoal | null;
};

function toDdr({ stored, known, parts, chapters, goal }: DdrParts): Ddr {
  const { id, title, summary, aliases, workflows } = known;
  const approval = approvalOf({ ...known, hash: known.approvedHash }, documentHash(known, parts.body));
  const changed = known.status === 'approved' && approval === null;
  return {
    id,
    tla: id.slice(0, 3),
    title,
    summary,
    aliases,
    status: changed ? 'draft' : known.status,
    approval: known.status === 'draft' || known.status === 'in_review' ? null : approval,
    goalStatus: goal?.status ?? 'none',
    chapterCount: chapters.length,
    approvedChapterCount: chapters.filter(({ chapter }) => chapter.status === 'approved').length,
    origin: stored.origin,
    goal,
    chapters: chapters.map(({ chapter }) => chapter),
    workflows: workflows ?? {},
    changedSinceApproval: changed,
    markdown: toLf(parts.body),
  };
}

/** Parses a design record; a problem names its field. */
export function readDocument(stored: StoredDdr): Result<DdrDocument, ConfigProblem> {
  const named = (problem: TextProblem) => err({ file: stored.file, ...problem });
  const parts = splitFrontMatter(stored.text);
  if (!parts.ok) return named(parts.error);
  const read = readKnown(parts.value.yaml);
  if (!read.ok) return named(read.error);
  const known = read.value;
  const body = splitSections(parts.value.body);
  const goalAt = body.sections.findIndex(({ title }) => title.toLowerCase() === 'goal');
  const goalIndex = goalAt === -1 ? null : goalAt;
  const chapters = placeChapters(known, body, goalIndex);
  const goal = toGoal(known, goalIndex === null ? undefined : body.sections[goalIndex]);
  const ddr = toDdr({ stored, known, parts: parts.value, chapters, goal });
  return ok({ stored, parts: parts.value, known, body, goalIndex, chapters, ddr });
}
