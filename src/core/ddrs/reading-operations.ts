import { z } from 'zod';
import {
  DdrStatus,
  type Ddr,
  type DdrDiff,
  type DdrSummary,
  DdrTlaRow,
  type DdrSearchHit,
} from '#shared/ddr';
import { ok, type Result } from '#shared/result';
import { compareLines, wholeTexts } from '../tools/line-diff';
import type { DdrDocument } from './document';
import { id, line, tla } from './fields';
import { operation, type OperationContext } from './operation';
import { refuseFailure, type Refusal, refuse } from './refusal';

const contextLength = 60;
const marks = /[\u0001\u0002]/g;

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/**
 * Case-insensitive position of a text in another; -1 when absent. The match has the same
 * length as the wanted text.
 */
function indexOfText(text: string, wanted: string): number {
  const lower = text.toLowerCase();
  // Some letters change length with case; then only an exact match can be highlighted.
  return lower.length === text.length ? lower.indexOf(wanted.toLowerCase()) : text.indexOf(wanted);
}

function snippet(text: string, wanted: string): string | null {
  const flat = text.normalize('NFC').replaceAll(marks, '').replaceAll(/\s+/g, ' ');
  const at = indexOfText(flat, wanted);
  if (at === -1) return null;
  const end = at + wanted.length;
  const before = flat.slice(Math.max(0, at - contextLength), at);
  const after = flat.slice(end, end + contextLength);
  const cut = { start: at > contextLength ? '…' : '', end: end + contextLength < flat.length ? '…' : '' };
  return `${cut.start}${before}\u0001${flat.slice(at, end)}\u0002${after}${cut.end}`;
}

interface SearchLocation {
  readonly chapterId: string | null;
  readonly place: string;
  readonly text: string;
}

function locationsIn(ddr: Ddr): readonly SearchLocation[] {
  const above = { chapterId: null };
  return [
    { ...above, place: 'id', text: ddr.id },
    { ...above, place: 'title', text: ddr.title },
    { ...above, place: 'summary', text: ddr.summary },
    { ...above, place: 'aliases', text: ddr.aliases.join(', ') },
    { ...above, place: 'goal', text: ddr.goal?.text ?? '' },
    ...ddr.chapters.flatMap(({ chapterId, title, summary, details }) => [
      { chapterId, place: title, text: title },
      { chapterId, place: title, text: summary },
      { chapterId, place: title, text: details },
    ]),
  ];
}

/** At most one hit per searched part of a document, in text order. */
function searchDocument(ddr: Ddr, text: string): readonly DdrSearchHit[] {
  const wanted = text.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
  if (folded(wanted) === '') return [];
  return locationsIn(ddr).flatMap(({ chapterId, place, text: content }) => {
    const found = snippet(content, wanted);
    return found === null ? [] : [{ id: ddr.id, title: ddr.title, chapterId, place, snippet: found }];
  });
}

const maxHits = 100;

function summaryOf(ddr: Ddr): DdrSummary {
  const { goal: _goal, chapters: _chapters, workflows: _workflows, markdown: _markdown, ...rest } = ddr;
  const { changedSinceApproval: _changed, ...summary } = rest;
  return summary;
}

const getDdr = operation({
  name: 'get_ddr',
  usage: 'get_ddr {id}: the whole document with its goal and chapters.',
  payload: z.strictObject({ id }),
  run: (payload, context) => {
    const found = context.library.find(payload.id);
    return found.ok ? ok({ ddr: found.value.ddr }) : found;
  },
});

const listDdrs = operation({
  name: 'list_ddrs',
  usage: 'list_ddrs {tla?, status?}: what there is, and files that cannot be read.',
  payload: z.strictObject({
    tla: tla.optional(),
    status: z.enum(DdrStatus.options, 'must be draft, in_review, approved or deprecated').optional(),
  }),
  run: (payload, context) => {
    const list = context.library.list();
    if (!list.ok) return list;
    const ddrs = list.value.documents
      .map(({ ddr }) => summaryOf(ddr))
      .filter((ddr) => payload.tla === undefined || ddr.tla === payload.tla)
      .filter((ddr) => payload.status === undefined || ddr.status === payload.status);
    const problems = list.value.problems.map(({ file, field, rule, reason }) => ({
      file,
      field,
      rule,
      reason,
    }));
    return ok({ ddrs, problems });
  },
});

const searchDdrs = operation({
  name: 'search_ddrs',
  usage: 'search_ddrs {text}: where the words stand, in titles, goals and chapters.',
  payload: z.strictObject({ text: line(200) }),
  run: (payload, context) => {
    const list = context.library.list();
    if (!list.ok) return list;
    const hits = list.value.documents.flatMap(({ ddr }) => searchDocument(ddr, payload.text));
    return ok({ hits: hits.slice(0, maxHits), total: hits.length });
  },
});

function olderText(
  context: OperationContext,
  document: DdrDocument,
  against: DdrDiff['against'],
): Result<string | null, Refusal> {
  // An approved document is its own newest approved text.
  if (against === 'approved' && document.ddr.status === 'approved') return ok(document.stored.text);
  const now = contentText(document.stored.text).text;
  const earlier = context.store.earlier(document.ddr.id, against, (text) => contentText(text).text !== now);
  return earlier.ok ? earlier : refuseFailure(earlier.error);
}

/** Diffs the content by line, with line numbers of the files. Ignores approval metadata and line endings. */
function compare(ddrId: string, against: DdrDiff['against'], before: string, after: string): DdrDiff {
  const [older, newer] = [contentText(before), contentText(after)];
  const compared = compareLines(older.text, newer.text) ?? [wholeTexts(older.text, newer.text)];
  const hunks = compared.map(({ oldStart, newStart, lines }) => ({
    oldStart: older.lineAt(oldStart),
    newStart: newer.lineAt(newStart),
    lines: [...lines],
  }));
  const count = (kind: 'added' | 'removed'): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((one) => one.kind === kind).length, 0);
  return { id: ddrId, against, available: true, added: count('added'), removed: count('removed'), hunks };
}

const diffDdr = operation({
  name: 'diff_ddr',
  usage:
    'diff_ddr {id, against?}: how its content changed since the newest approved text ("approved") or the last version with another content ("previous").',
  payload: z.strictObject({
    id,
    against: z.enum(['approved', 'previous'], 'must be approved or previous').default('approved'),
  }),
  run: (payload, context) => {
    const found = context.library.find(payload.id);
    if (!found.ok) return found;
    const older = olderText(context, found.value, payload.against);
    if (!older.ok) return older;
    const nothing = {
      id: payload.id,
      against: payload.against,
      available: false,
      added: 0,
      removed: 0,
      hunks: [],
    };
    if (older.value === null) return ok(nothing);
    return ok(compare(payload.id, payload.against, older.value, found.value.stored.text));
  },
});

export const readingOperations = [getDdr, listDdrs, searchDdrs, diffDdr];

/** Front matter keys that are content; the other keys record approvals. */
const contentKeys: readonly string[] = ['title', 'summary', 'aliases'];

/** The content of a document, and a map from its lines to lines of the file, both 1-based. */
interface ContentText {
  readonly text: string;
  readonly lineAt: (line: number) => number;
}

/** Line indexes of the front matter that belong to content keys. */
function contentLines(lines: readonly string[], end: number): readonly number[] {
  const lineNumbers: number[] = [];
  let within = false;
  for (let at = 1; at < end; at += 1) {
    const key = /^([A-Za-z][\w-]*):/.exec(lines[at] ?? '')?.[1];
    if (key !== undefined) within = contentKeys.includes(key);
    if (within) lineNumbers.push(at);
  }
  return lineNumbers;
}

/** The content of a document for comparison: without approval metadata, with LF line endings. */
function contentText(stored: string): ContentText {
  const lines = stored.replaceAll('\r\n', '\n').split('\n');
  const closing = lines[0] === '---' ? lines.indexOf('---', 1) : -1;
  const body = Array.from({ length: lines.length - closing - 1 }, (_, index) => closing + 1 + index);
  const lineNumbers = [...(closing === -1 ? [] : contentLines(lines, closing)), ...body];
  return {
    text: lineNumbers.map((at) => lines[at] ?? '').join('\n'),
    lineAt: (line) => (lineNumbers[line - 1] ?? lines.length) + 1,
  };
}

const getTlaCatalog = operation({
  name: 'get_tla_catalog',
  usage: 'get_tla_catalog {}: the families of DDRs by their three letters.',
  payload: z.strictObject({}),
  run: (_payload, context) => {
    const rows = context.store.tlas();
    return rows.ok ? ok({ tlas: [...rows.value] }) : refuseFailure(rows.error);
  },
});

const addTla = operation({
  name: 'add_tla',
  usage: 'add_tla {tla, title, description?}: a new family of DDRs.',
  payload: z.strictObject({ tla, title: line(80), description: line(500).optional() }),
  run: async (payload, context) => {
    const rows = context.store.tlas();
    if (!rows.ok) return refuseFailure(rows.error);
    const known = rows.value.find((row) => row.tla === payload.tla);
    if (known) return refuse('conflict', `${payload.tla} is already there: "${known.title}".`);
    const row = DdrTlaRow.parse(payload);
    const added = await context.store.addTla(row);
    return added.ok ? ok({ tla: row }) : refuseFailure(added.error);
  },
});

export const catalogOperations = [getTlaCatalog, addTla];
