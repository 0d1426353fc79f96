import { z } from 'zod';
import type { DdrChapter } from '#shared/ddr';
import { ok, type Result } from '#shared/result';
import {
  withChapterText,
  withChapters,
  withOrder,
  withoutChapter,
  type ChapterContent,
} from './chapter-text';
import { nextChapterNumber, type DdrDocument, type PlacedChapter } from './document';
import { block, chapterId, chapterTitle, id, summary } from './fields';
import { editDocument, operation, type Edit } from './operation';
import { refuse, type Refusal } from './refusal';

const maxChapters = 200;
const one = z.strictObject({
  title: chapterTitle,
  summary: summary(2_000),
  details: block(200_000).or(z.literal('')).default(''),
});

const idsOf = ({ ddr }: DdrDocument): readonly string[] => ddr.chapters.map((chapter) => chapter.chapterId);

function findChapter(document: DdrDocument, wanted: string): Result<PlacedChapter, Refusal> {
  const found = document.chapters.find(({ chapter }) => chapter.chapterId === wanted);
  if (found) return ok(found);
  const there = idsOf(document).join(', ') || 'none';
  return refuse('not_found', `${document.ddr.id} has no chapter "${wanted}". There are: ${there}.`);
}

const chaptersOf =
  (wanted: readonly string[]) =>
  ({ ddr }: DdrDocument) => ({
    chapters: ddr.chapters.filter((chapter) => wanted.includes(chapter.chapterId)),
  });

/** Finds a duplicate title: titles must be unique, because readers find chapters by them. */
function sameTitle(document: DdrDocument, added: readonly ChapterContent[]): string | undefined {
  const titles = document.ddr.chapters.map(({ title }) => title.toLowerCase());
  return added.find(({ title }) => {
    const known = titles.includes(title.toLowerCase());
    titles.push(title.toLowerCase());
    return known;
  })?.title;
}

function addTo(
  document: DdrDocument,
  added: readonly ChapterContent[],
  position?: number,
): Result<Edit, Refusal> {
  const { id: ddrId, chapterCount } = document.ddr;
  const twice = sameTitle(document, added);
  if (twice !== undefined) return refuse('conflict', `${ddrId} already has a chapter "${twice}".`);
  if (chapterCount + added.length > maxChapters) {
    return refuse('conflict', `A DDR has at most ${maxChapters} chapters; ${ddrId} has ${chapterCount}.`);
  }
  if (position !== undefined && position > chapterCount + 1) {
    return refuse('invalid_payload', `payload.position: ${ddrId} has ${chapterCount} chapters.`);
  }
  const first = nextChapterNumber(document.known, document.ddr.chapters);
  const newIds = added.map((_, index) => `C${first + index}`);
  const chapterIds = idsOf(document).toSpliced((position ?? chapterCount + 1) - 1, 0, ...newIds);
  const body = withChapters(document, added, position);
  return ok({ change: { body, chapterIds }, extraResult: chaptersOf(newIds) });
}

const addChapter = operation({
  name: 'add_chapter',
  usage:
    'add_chapter {id, title, summary, details?, position?}: adds one chapter, at the end or at a position from 1.',
  payload: one.extend({ id, position: z.number('must be a number').int().min(1).optional() }),
  run: ({ id: ddrId, position, ...chapter }, context) =>
    editDocument(context, ddrId, (document) => addTo(document, [chapter], position)),
});

const addChapters = operation({
  name: 'add_chapters',
  usage: 'add_chapters {id, chapters: [{title, summary, details?}]}: adds several at the end, all or none.',
  payload: z.strictObject({ id, chapters: z.array(one, 'must be a list of chapters').min(1).max(50) }),
  run: (payload, context) =>
    editDocument(context, payload.id, (document) => addTo(document, payload.chapters)),
});

function rewrite(
  document: DdrDocument,
  wanted: string,
  part: Partial<ChapterContent>,
): Result<Edit, Refusal> {
  const found = findChapter(document, wanted);
  if (!found.ok) return found;
  const { chapter, index } = found.value;
  const body = withChapterText(document, index, { ...chapter, ...part });
  return ok({ change: { body, chapterIds: idsOf(document) }, extraResult: chaptersOf([wanted]) });
}

const updateSummary = operation({
  name: 'update_chapter_summary',
  usage: 'update_chapter_summary {id, chapterId, summary}: an approved chapter is a draft again.',
  payload: z.strictObject({ id, chapterId, summary: summary(2_000) }),
  run: (payload, context) =>
    editDocument(context, payload.id, (document) =>
      rewrite(document, payload.chapterId, { summary: payload.summary }),
    ),
});

const updateDetails = operation({
  name: 'update_chapter_details',
  usage: 'update_chapter_details {id, chapterId, details}: markdown; headings from ### on.',
  payload: z.strictObject({ id, chapterId, details: block(200_000) }),
  run: (payload, context) =>
    editDocument(context, payload.id, (document) =>
      rewrite(document, payload.chapterId, { details: payload.details }),
    ),
});

const contentOf = ({ summary: short, details }: DdrChapter): string => [short, details].join('\n\n').trim();

const approveChapter = operation({
  name: 'approve_chapter',
  usage: 'approve_chapter {id, chapterId}: the user is asked to approve the chapter.',
  payload: z.strictObject({ id, chapterId }),
  run: (payload, context) =>
    editDocument(context, payload.id, (document) => {
      const found = findChapter(document, payload.chapterId);
      if (!found.ok) return found;
      const { chapter } = found.value;
      const extraResult = chaptersOf([payload.chapterId]);
      if (chapter.status === 'approved') return ok({ change: {}, extraResult });
      return ok({
        change: { approveChapter: { chapterId: payload.chapterId, approval: context.approval() } },
        question: {
          text: `Approve chapter ${payload.chapterId} "${chapter.title}" of ${document.ddr.id}?`,
          detail: contentOf(chapter),
        },
        extraResult,
      });
    }),
});

const listChapters = operation({
  name: 'list_chapters',
  usage: 'list_chapters {id}: ids, titles, summaries and status, in order.',
  payload: z.strictObject({ id }),
  run: (payload, context) => {
    const found = context.library.find(payload.id);
    if (!found.ok) return found;
    const chapters = found.value.ddr.chapters.map(({ details, ...rest }) => ({
      ...rest,
      detailsLength: details.length,
    }));
    return ok({ id: payload.id, chapters });
  },
});

const reorderChapters = operation({
  name: 'reorder_chapters',
  usage: 'reorder_chapters {id, chapterIds}: every chapter once, in the new order.',
  payload: z.strictObject({
    id,
    chapterIds: z.array(chapterId, 'must be a list of chapter ids').max(maxChapters),
  }),
  run: (payload, context) =>
    editDocument(context, payload.id, (document) => {
      const there = idsOf(document);
      const wanted = payload.chapterIds;
      if ([...wanted].sort().join() !== [...there].sort().join()) {
        const message = `payload.chapterIds: must name every chapter once: ${there.join(', ') || 'there are none'}.`;
        return refuse('invalid_payload', message);
      }
      if (wanted.join() === there.join()) return ok({ change: {}, extraResult: chaptersOf(there) });
      const order = wanted.map((one) => document.chapters[there.indexOf(one)]?.index ?? 0);
      return ok({
        change: { body: withOrder(document, order), chapterIds: wanted },
        extraResult: chaptersOf(there),
      });
    }),
});

const deleteChapter = operation({
  name: 'delete_chapter',
  usage: 'delete_chapter {id, chapterId}: the user is asked; the earlier text is kept beside.',
  payload: z.strictObject({ id, chapterId }),
  run: (payload, context) =>
    editDocument(context, payload.id, (document) => {
      const found = findChapter(document, payload.chapterId);
      if (!found.ok) return found;
      const { chapter, index } = found.value;
      const lastChapter = nextChapterNumber(document.known, document.ddr.chapters) - 1;
      return ok({
        change: {
          body: withoutChapter(document, index),
          chapterIds: idsOf(document).filter((one) => one !== payload.chapterId),
          keys: { lastChapter },
        },
        question: {
          text: `Delete chapter ${payload.chapterId} "${chapter.title}" of ${document.ddr.id}?`,
          detail: contentOf(chapter),
        },
      });
    }),
});

export const chapterOperations = [
  ...[addChapter, addChapters, updateSummary, updateDetails, approveChapter],
  ...[listChapters, reorderChapters, deleteChapter],
];
