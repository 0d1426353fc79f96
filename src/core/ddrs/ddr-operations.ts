import { stringify } from 'yaml';
import { z } from 'zod';
import { DdrStatus, type Ddr } from '#shared/ddr';
import { ok, type Result } from '#shared/result';
import { withTitle } from './chapter-text';
import { readDocument, type DdrDocument } from './document';
import { id, line, summary, tla } from './fields';
import { editDocument, operation, type OperationContext, type Edit } from './operation';
import { refuse, refuseFailure, type Refusal } from './refusal';

const aliases = z.array(line(100), 'must be a list of names').max(20);

interface NewDdr {
  readonly title: string;
  readonly summary: string;
  readonly aliases: readonly string[];
}

function newText(ddrId: string, { title, summary: short, aliases: also }: NewDdr): string {
  const keys = { id: ddrId, tla: ddrId.slice(0, 3), title, summary: short, status: 'draft' };
  const front = stringify(
    { ...keys, ...(also.length > 0 && { aliases: also }) },
    { schema: 'core', lineWidth: 0 },
  );
  return `---\n${front}---\n\n# ${ddrId}: ${title}\n`;
}

/** The largest number in use under a TLA, whoever assigned it. */
function largestNumber(context: OperationContext, letters: string): Result<number, Refusal> {
  const list = context.library.list();
  if (!list.ok) return list;
  const numbers = list.value.documents
    .filter(({ ddr }) => ddr.tla === letters)
    .map(({ ddr }) => Number(ddr.id.slice(4)));
  return ok(Math.max(0, ...numbers));
}

const createDdr = operation({
  name: 'create_ddr',
  usage:
    'create_ddr {tla, title, summary, aliases?}: the host gives the identifier; never ask for one or make one up.',
  payload: z.strictObject({ tla, title: line(200), summary: summary(2_000), aliases: aliases.default([]) }),
  run: async (payload, context) => {
    const rows = context.store.tlas();
    if (!rows.ok) return refuseFailure(rows.error);
    if (!rows.value.some((row) => row.tla === payload.tla)) {
      const there = rows.value.map((row) => row.tla).join(', ');
      return refuse(
        'not_found',
        `There is no family ${payload.tla}. There are: ${there}. Add one with add_tla.`,
      );
    }
    const largest = largestNumber(context, payload.tla);
    if (!largest.ok) return largest;
    const number = await context.store.reserve(payload.tla, largest.value);
    if (!number.ok) return refuseFailure(number.error);
    const ddrId = `${payload.tla}-${String(number.value).padStart(3, '0')}`;
    const text = newText(ddrId, payload);
    const nothing = { file: null, expected: null, previous: null, approved: null };
    const written = await context.store.write({ id: ddrId, text, ...nothing });
    if (!written.ok) return refuseFailure(written.error);
    const document = readDocument({ file: `${ddrId}.md`, origin: 'home', text });
    if (!document.ok) return refuse('storage', `${ddrId}: ${document.error.reason}`);
    return ok({ ddr: document.value.ddr, note: null });
  },
});

const updateMetadata = operation({
  name: 'update_metadata',
  usage:
    'update_metadata {id, title?, summary?, aliases?}: an approved DDR with another title or summary is a draft again.',
  payload: z
    .strictObject({
      id,
      title: line(200).optional(),
      summary: summary(2_000).optional(),
      aliases: aliases.optional(),
    })
    .refine(({ id: _id, ...changes }) => Object.values(changes).some((value) => value !== undefined), {
      message: 'must have at least one of title, summary, aliases',
    }),
  run: ({ id: ddrId, ...changes }, context) =>
    editDocument(context, ddrId, ({ ddr, body }) => {
      const keys = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const title = changes.title ?? ddr.title;
      const renamed = withTitle(body, `${ddrId}: ${ddr.title}`, `${ddrId}: ${title}`);
      return ok({ change: { keys, body: renamed } });
    }),
});

/** Why a document cannot be approved yet; null when it can. */
function missingApprovals(ddr: Ddr): string | null {
  if (ddr.goalStatus === 'none') return 'it has no goal';
  if (ddr.goalStatus === 'draft') return 'its goal is not approved';
  if (ddr.chapterCount === 0) return 'it has no chapters';
  const open = ddr.chapters.filter(({ status }) => status === 'draft').map(({ chapterId }) => chapterId);
  if (open.length === 0) return null;
  return open.length === 1
    ? `chapter ${open[0]} is not approved`
    : `chapters ${open.join(', ')} are not approved`;
}

function approve(context: OperationContext, { ddr }: DdrDocument): Result<Edit, Refusal> {
  if (ddr.status === 'approved') return ok({ change: {} });
  if (ddr.status === 'deprecated') {
    return refuse('conflict', `${ddr.id} is deprecated. Set its status to draft before you approve it.`);
  }
  const missing = missingApprovals(ddr);
  if (missing !== null) return refuse('conflict', `${ddr.id} cannot be approved: ${missing}.`);
  return ok({
    change: { status: { to: 'approved', approval: context.approval() } },
    question: { text: `Approve ${ddr.id} "${ddr.title}"?`, detail: ddr.markdown },
  });
}

const approveDdr = operation({
  name: 'approve_ddr',
  usage:
    'approve_ddr {id}: the user is asked to approve the whole DDR; its goal and every chapter are approved first.',
  payload: z.strictObject({ id }),
  run: (payload, context) => editDocument(context, payload.id, (document) => approve(context, document)),
});

/** Deprecating a DDR, and reactivating one, need the user's consent just like approving it. */
function setStatus(context: OperationContext, document: DdrDocument, to: DdrStatus): Result<Edit, Refusal> {
  if (to === 'approved') return approve(context, document);
  const { ddr, known } = document;
  if (known.status === to) return ok({ change: {} });
  const change = { status: { to, approval: null } };
  if (to !== 'deprecated' && known.status !== 'deprecated') return ok({ change });
  const wanted = to === 'deprecated' ? 'Deprecate' : `Reopen as ${to.replace('_', ' ')}:`;
  return ok({ change, question: { text: `${wanted} ${ddr.id} "${ddr.title}"?`, detail: ddr.summary } });
}

const setDdrStatus = operation({
  name: 'set_ddr_status',
  usage:
    'set_ddr_status {id, status}: draft, in_review, approved or deprecated; the user is asked for the last two.',
  payload: z.strictObject({
    id,
    status: z.enum(DdrStatus.options, 'must be draft, in_review, approved or deprecated'),
  }),
  run: (payload, context) =>
    editDocument(context, payload.id, (document) => setStatus(context, document, payload.status), {
      deprecatedToo: true,
    }),
});

export const ddrOperations = [createDdr, updateMetadata, setDdrStatus, approveDdr];
