import type { DdrApproval, DdrStatus } from '#shared/ddr';
import { err, ok, type Result } from '#shared/result';
import { chapterHash, documentHash, goalHash, readDocument, type DdrDocument } from './document';
import { changeFrontMatter, joinFrontMatter, type FrontMatterValues, type TextProblem } from './front-matter';
import { joinSections, splitSections, type Body, type Section } from './sections';

/** The change that an operation makes to a document. */
export interface Change {
  readonly body?: Body;
  /** Front matter keys to set; `undefined` removes one. */
  readonly keys?: FrontMatterValues;
  /** Chapter ids in their new order, when the titles alone do not determine them. */
  readonly chapterIds?: readonly string[];
  /** The chapter that this change approves. */
  readonly approveChapter?: { readonly chapterId: string; readonly approval: DdrApproval };
  readonly approveGoal?: DdrApproval;
  /** The new status; without it, an edit returns an approved document to draft. */
  readonly status?: { readonly to: DdrStatus; readonly approval: DdrApproval | null };
}

export interface Changed {
  readonly document: DdrDocument;
  /** Parts that were approved and became drafts again. */
  readonly reverted: readonly string[];
}

const approvedKeys = (approval: DdrApproval, hash: string) => ({
  approvedBy: approval.by,
  approvedAt: approval.at,
  hash,
});

/** The `chapters` key: ids by title, and the approvals that are still valid. */
function chapterRows(before: DdrDocument, after: DdrDocument, change: Change): readonly object[] | undefined {
  const old = new Map(before.ddr.chapters.map((chapter) => [chapter.chapterId, chapter]));
  const rows = after.ddr.chapters.map((chapter, index) => {
    const chapterId = change.chapterIds?.[index] ?? chapter.chapterId;
    const hash = chapterHash(chapter);
    const was = old.get(chapterId);
    const previous = was?.approval && chapterHash(was) === hash ? was.approval : null;
    const approval =
      change.approveChapter?.chapterId === chapterId ? change.approveChapter.approval : previous;
    return { id: chapterId, title: chapter.title, ...(approval && approvedKeys(approval, hash)) };
  });
  return rows.length === 0 ? undefined : rows;
}

function goalKeys(before: DdrDocument, after: DdrDocument, change: Change): object | undefined {
  const text = after.ddr.goal?.text;
  if (text === undefined) return undefined;
  const hash = goalHash(text);
  const previous = before.ddr.goal?.text === text ? before.ddr.goal.approval : null;
  const approval = change.approveGoal ?? previous;
  return approval ? approvedKeys(approval, hash) : undefined;
}

/** Whether the change affects the content that a document's approval covers. */
function touchesText(before: DdrDocument, after: DdrDocument): boolean {
  const hash = ({ known, parts }: DdrDocument): string => documentHash(known, parts.body);
  return hash(before) !== hash(after);
}

function statusKeys(before: DdrDocument, after: DdrDocument, change: Change): FrontMatterValues {
  const none = { approvedBy: undefined, approvedAt: undefined, approvedHash: undefined };
  const { to, approval } = change.status ?? { to: undefined, approval: null };
  if (to !== undefined && approval) {
    const approvedHash = documentHash(after.known, after.parts.body);
    return { status: to, approvedBy: approval.by, approvedAt: approval.at, approvedHash };
  }
  if (to === 'deprecated') return { status: to };
  if (to !== undefined) return { status: to, ...none };
  const ended = before.known.status === 'approved' && touchesText(before, after);
  return ended ? { status: 'draft', ...none } : {};
}

function reverted(before: DdrDocument, after: DdrDocument): readonly string[] {
  const now = new Map(after.ddr.chapters.map((chapter) => [chapter.chapterId, chapter]));
  const chapters = before.ddr.chapters
    .filter(({ chapterId, status }) => status === 'approved' && now.get(chapterId)?.status === 'draft')
    .map(({ chapterId, title }) => `chapter ${chapterId} "${title}"`);
  const goal = before.ddr.goalStatus === 'approved' && after.ddr.goalStatus === 'draft' ? ['the goal'] : [];
  const whole = before.ddr.status === 'approved' && after.ddr.status === 'draft' ? [after.ddr.id] : [];
  return [...whole, ...goal, ...chapters];
}

/**
 * Whether a joined body parses back to the same sections: an unclosed code block would
 * swallow the ones after it.
 */
function readsBack(body: Body): boolean {
  const { sections } = body;
  const reread = splitSections(joinSections(body)).sections;
  const same = (one: Section, index: number): boolean =>
    one.title === reread[index]?.title && one.text.trim() === reread[index].text.trim();
  return reread.length === sections.length && sections.every(same);
}

/** Returns the changed document; rejects a text that could not be parsed again. */
export function changeDocument(before: DdrDocument, change: Change): Result<Changed, TextProblem> {
  const { stored } = before;
  if (change.body && !readsBack(change.body)) {
    const reason = 'A code block in the document is not closed. Close it first.';
    return err({ field: '', rule: 'code-block', reason });
  }
  const body = change.body ? joinSections(change.body) : before.parts.body;
  const write = (from: DdrDocument, keys: FrontMatterValues): Result<DdrDocument, TextProblem> => {
    const parts = changeFrontMatter({ ...from.parts, body }, keys);
    if (!parts.ok) return parts;
    return readDocument({ ...stored, origin: 'home', text: joinFrontMatter(parts.value) });
  };
  const drafted = write(before, change.keys ?? {});
  if (!drafted.ok) return drafted;
  const after = drafted.value;
  const done = write(after, {
    goal: goalKeys(before, after, change),
    chapters: chapterRows(before, after, change),
    ...statusKeys(before, after, change),
  });
  if (!done.ok) return err(done.error);
  return ok({ document: done.value, reverted: reverted(before, done.value) });
}
