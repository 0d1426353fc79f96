import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { FactOf, SessionEvent, SessionFact } from '#shared/session-event';
import { turnAt, type SessionState, type Turn } from '#shared/session-state';
import { pathTo } from '#shared/turn-tree';
import type { Ids } from '../ports/ids';
import type { TimedFact } from '../ports/session-store';
import { completed, lineOf } from './complete-copy';
import { noSuchTurn } from './turn-place';
import { isBusy } from './unfinished-work';

/** What stays with the original session: its branches, its waiting lines and its own beginning. */
const leftBehind: ReadonlySet<SessionFact['type']> = new Set([
  'session-created',
  'session-forked',
  'session-renamed',
  'session-archived',
  'session-restored',
  'session-marked',
  'project-chosen',
  'branch-chosen',
  'line-queued',
  'line-edited',
  'line-withdrawn',
  'line-moved',
  'queue-paused',
  'queue-resumed',
]);

const busy = appError('HOST', 'STATE', 'A reply or a run up to this turn is still in progress.', {
  hint: 'Stop it first.',
});

/** Which workflows ended on the path; any other would arrive as if it were running. */
function endedWorkflows(
  events: readonly SessionEvent[],
  onPath: ReadonlyMap<number, number>,
): ReadonlySet<string> {
  const ended = events.filter(
    (event) => event.type === 'workflow-ended' && event.turn !== null && onPath.has(event.turn),
  );
  return new Set(ended.map((event) => (event as FactOf<'workflow-ended'>).workflowRunId));
}

interface Copying {
  /** Whether the copy has branches; a fork is a single path. */
  readonly tree: boolean;
  /** The number of each turn of the path in the new session. */
  readonly turns: ReadonlyMap<number, number>;
  readonly workflows: ReadonlySet<string>;
  readonly runIdOf: (runId: string) => string;
  /** The texts of system blocks by hash; the first copied step that uses one includes it. */
  readonly texts: ReadonlyMap<string, string>;
  readonly included: Set<string>;
}

function withTexts(step: FactOf<'model-step-started'>, { texts, included }: Copying): SessionFact {
  const needed = step.blocks.map(({ hash }) => hash).filter((hash) => !included.has(hash));
  for (const hash of needed) included.add(hash);
  const own = needed.map((hash) => [hash, texts.get(hash) ?? step.texts[hash] ?? ''] as const);
  return { ...step, texts: Object.fromEntries(own) };
}

function placedLine(fact: FactOf<'message-sent'>, { tree }: Copying): FactOf<'message-sent'> {
  const { parent, regenerates, lineId: _lineId, ...line } = fact;
  return {
    ...line,
    ...(tree && parent !== undefined && { parent }),
    ...(tree && regenerates !== undefined && { regenerates }),
  };
}

/** A fact about a turn, without what only the original session has. */
function placed(fact: SessionFact, copying: Copying): SessionFact {
  switch (fact.type) {
    case 'message-sent':
      return placedLine(fact, copying);
    case 'write-intended': {
      // The original session alone can undo what its runs wrote.
      const { undo: _undo, ...write } = fact;
      return write;
    }
    case 'model-step-started':
      return withTexts(fact, copying);
    default:
      return fact;
  }
}

const newRunIdIn = (fact: SessionFact, runIdOf: Copying['runIdOf']) =>
  'runId' in fact && fact.runId !== undefined ? { runId: runIdOf(fact.runId) } : {};

/** A summary of turns that the new session has, under their new number. */
function compactionIn(
  fact: FactOf<'history-compacted'> | FactOf<'compaction-undone'>,
  { turns }: Copying,
): SessionFact | null {
  const upTo = turns.get(fact.upTo);
  return upTo === undefined ? null : { ...fact, upTo };
}

/** The fact as it belongs to the new session; null when it stays behind. */
function copied(fact: SessionFact, copying: Copying): SessionFact | null {
  if (leftBehind.has(fact.type) && !(copying.tree && fact.type === 'branch-chosen')) return null;
  if ('upTo' in fact) return compactionIn(fact, copying);
  const ofWorkflow = 'workflowRunId' in fact;
  if (ofWorkflow && !copying.workflows.has(fact.workflowRunId ?? '')) return null;
  if (!('turn' in fact) || fact.turn === null) return ofWorkflow ? null : fact;
  const turn = copying.turns.get(fact.turn);
  return turn === undefined ? null : placed({ ...fact, ...newRunIdIn(fact, copying.runIdOf), turn }, copying);
}

const factOf = ({ sessionId: _session, seq: _seq, at: _at, v: _v, ...fact }: SessionEvent): SessionFact =>
  fact;

function textsIn(events: readonly SessionEvent[]): ReadonlyMap<string, string> {
  return new Map(
    events.flatMap((event) => (event.type === 'model-step-started' ? Object.entries(event.texts) : [])),
  );
}

/** Gives each run of the original a new id, always the same one. */
function newRunIds(ids: Ids): (runId: string) => string {
  const known = new Map<string, string>();
  return (runId) => {
    const id = known.get(runId) ?? ids.next('run');
    known.set(runId, id);
    return id;
  };
}

/** A copied fact with the time at which it happened; the others happen now. */
export interface ForkedFact {
  readonly fact: SessionFact;
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

/**
 * The facts of a new session that contains the path up to `turn` and does not need the original afterwards
 * (decision 102). Its runs are history: they cannot be resumed or undone, and what was open in them is closed.
 * So is what lost its end in a damaged session.
 * What was copied has its original times; the last fact is of now, so the fork counts as just used.
 * HOST/NOT_FOUND for an unknown turn, HOST/STATE while work on the path is in progress.
 */
export function forkFacts(
  original: SessionState,
  events: readonly SessionEvent[],
  turn: number,
  ids: Ids,
): Result<readonly ForkedFact[]> {
  const path = pathTo(original, turn);
  if (!turnAt(original, turn) || path.length === 0) return err(noSuchTurn(turn));
  if (isBusy({ blocks: [path] })) return err(busy);
  const turns = new Map(path.map((each, place) => [each.turn, place] as const));
  const runIdOf = newRunIds(ids);
  const copying: Copying = {
    tree: false,
    turns,
    workflows: endedWorkflows(events, turns),
    runIdOf,
    texts: textsIn(events),
    included: new Set(),
  };
  const created = events.find(
    (event): event is SessionEvent & FactOf<'session-created'> => event.type === 'session-created',
  );
  const { id, title, project } = original;
  const beginning: readonly SessionFact[] = [
    { type: 'session-forked', from: { sessionId: id, turn }, turns: path.length },
    {
      type: 'session-created',
      title: title === '' ? '' : `${title} (fork)`,
      project,
      ...(created?.workflows && { workflows: created.workflows }),
      ...(created?.workspace && { workspace: created.workspace }),
    },
  ];
  const continued: SessionFact = { type: 'branch-chosen', turn: path.length - 1 };
  return ok([
    ...beginning.map((fact) => ({ fact })),
    ...timedCopies(events, path, copying),
    { fact: continued },
  ]);
}

/** The complete copies of all events on the path of `turns`, with the times of the original. */
function timedCopies(
  events: readonly SessionEvent[],
  turns: readonly Turn[],
  copying: Copying,
): readonly TimedFact[] {
  const lines = turns.map((turn, number) => ({
    fact: { ...placedLine(lineOf(turn), copying), turn: number },
    at: turn.at,
  }));
  const copies = events.flatMap((event) => {
    const copy = copied(factOf(event), copying);
    return copy ? [{ fact: copy, at: event.at }] : [];
  });
  return completed(copies, lines);
}

/**
 * The facts of a session that was read from a file: all its branches, without what can act here. Its runs are
 * history like those of a fork, and its waiting lines stay behind. The times are those of the file.
 */
export function importFacts(
  original: SessionState,
  events: readonly SessionEvent[],
  ids: Ids,
): readonly TimedFact[] {
  const all = original.blocks.flat();
  const turns = new Map(all.map(({ turn }) => [turn, turn] as const));
  const copying: Copying = {
    tree: true,
    turns,
    workflows: endedWorkflows(events, turns),
    runIdOf: newRunIds(ids),
    texts: textsIn(events),
    included: new Set(),
  };
  const created = { type: 'session-created' as const, title: original.title, project: null };
  // A damaged session may have lost its own beginning.
  const at = original.createdAt || (events[0]?.at ?? 0);
  return [{ fact: created, at }, ...timedCopies(events, all, copying)];
}
