import { appError } from '#shared/app-error';
import { applyStoredEvents } from '#shared/apply-stored-events';
import { err, ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import { maxTime, type ImportPreview, type ImportReport, type SessionFile } from '#shared/session-file';
import { emptySession } from '#shared/session-state';
import type { ReadChat, ReadChatFile } from '../ports/chat-files';
import type { Ids } from '../ports/ids';
import type { EventGap, TimedFact } from '../ports/session-store';
import { importFacts } from './fork-session';
import type { SessionLog } from './session-log';
import { titleFrom } from './session-title';

interface ImporterDeps {
  readonly log: Pick<SessionLog, 'ids' | 'importSession'>;
  readonly read: ReadChatFile;
  readonly ids: Ids;
}

interface Found {
  readonly id: string;
  readonly turns: number;
  readonly facts: readonly TimedFact[];
  /** How many events of a damaged session its file lacks. */
  readonly lost: number;
}

/** The most turns of a damaged session that may be lost: a placeholder stands for each. */
const maxLostTurns = 10_000;

/** Where a fold of a file's events is: the last `seq`, and what is lost up to it. */
interface FoldState {
  seq: number;
  turns: number;
  lostTurns: number;
  readonly gaps: EventGap[];
}

const lostIn = (gaps: readonly EventGap[]): number =>
  gaps.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, 0);

/** What is wrong with the turn of the next event, or null; only lost events can have skipped a turn. */
function wrongTurn(event: SessionEvent, fold: FoldState): string | null {
  if (!('turn' in event) || typeof event.turn !== 'number') return null;
  const { turns, gaps } = fold;
  const sent = event.type === 'message-sent';
  if (sent && event.turn < turns) return `expected ${turns}, received ${event.turn}`;
  const skipped = Math.max(0, event.turn - turns + (sent ? 0 : 1));
  fold.lostTurns += skipped;
  fold.turns = Math.max(turns, event.turn + 1);
  if (skipped === 0 || fold.lostTurns <= Math.min(lostIn(gaps), maxLostTurns)) return null;
  return sent ? `expected ${turns}, received ${event.turn}` : `there is no turn ${event.turn} yet`;
}

/** What is wrong with the order of a file's events, or null: a fold of them must not grow without bound. */
function problemIn({ id, events }: SessionFile, fold: FoldState): string | null {
  for (const [index, event] of events.entries()) {
    const field = `events.${index}`;
    if (event.sessionId !== id) return `${field}.sessionId: the event belongs to another session`;
    if (Math.abs(event.at) > maxTime) return `${field}.at: ${event.at} is not a time`;
    if (event.seq <= fold.seq) return `${field}.seq: expected more than ${fold.seq}, received ${event.seq}`;
    if (event.seq > fold.seq + 1) fold.gaps.push({ fromSeq: fold.seq + 1, toSeq: event.seq - 1 });
    fold.seq = event.seq;
    const wrong = wrongTurn(event, fold);
    if (wrong !== null) return `${field}.turn: ${wrong}`;
  }
  return fold.turns === 0 ? 'events: the session has no turns' : null;
}

const cleanTitle = (text: string): string => titleFrom(text.slice(0, 1_000)).replaceAll(/\p{Cc}/gu, '');

/** The beginning of a session, with a title as this app writes one: of the first line where the other app has none. */
function titled(timed: TimedFact, facts: readonly TimedFact[]): TimedFact {
  const { fact } = timed;
  if (fact.type !== 'session-created') return timed;
  const first = facts.find((each) => each.fact.type === 'message-sent')?.fact;
  const line = first?.type === 'message-sent' ? first.text : '';
  return { ...timed, fact: { ...fact, title: cleanTitle(fact.title) || cleanTitle(line) } };
}

function found(chat: ReadChat, ids: Ids): Result<Found> {
  if (chat.kind === 'chat') {
    return ok({ ...chat, facts: chat.facts.map((each) => titled(each, chat.facts)), lost: 0 });
  }
  const { file } = chat;
  const fold: FoldState = { seq: 0, turns: 0, lostTurns: 0, gaps: [] };
  const problem = problemIn(file, fold);
  if (problem !== null) {
    const hint = 'Export the session again.';
    return err(appError('HOST', 'INVALID_INPUT', `The session file is damaged: ${problem}.`, { hint }));
  }
  // A session that lost events in its database has the same gaps in its file.
  const { gaps, turns: turnCount } = fold;
  const state = applyStoredEvents(emptySession(file.id), { events: file.events, gaps, turnCount });
  const facts = importFacts(state, file.events, ids);
  return ok({ id: file.id, turns: state.turnCount, facts, lost: lostIn(gaps) });
}

/**
 * Imports conversations from files. Each session is stored whole or not at all; one that an earlier import brought is
 * counted as present and left as it is, so that an interrupted import can be repeated. Imported runs are history: they
 * cannot be resumed or undone. What a damaged session lost is counted in `skipped`.
 */
export function createImporter({ log, read, ids }: ImporterDeps) {
  const scan = async (
    path: string,
    take: (chat: Found) => Result<unknown>,
  ): Promise<Result<ImportReport>> => {
    const known = log.ids();
    if (!known.ok) return known;
    const present = new Set(known.value);
    const counts = { sessions: 0, turns: 0, present: 0 };
    let lost = 0;
    const failed: { result: Result<never> | null } = { result: null };
    const summary = await read(path, (chat) => {
      if (failed.result) return;
      const each = found(chat, ids);
      if (!each.ok) {
        failed.result = each;
      } else if (present.has(each.value.id)) {
        counts.present += 1;
      } else {
        present.add(each.value.id);
        lost += each.value.lost;
        const taken = take(each.value);
        if (!taken.ok) failed.result = taken;
        else {
          counts.sessions += 1;
          counts.turns += each.value.turns;
        }
      }
    });
    if (!summary.ok) return summary;
    const { source, skipped } = summary.value;
    const gaps = lost > 0 ? [{ what: 'unreadable event' as const, count: lost }] : [];
    return failed.result ?? ok({ ...counts, source, skipped: [...skipped, ...gaps] });
  };
  return {
    /** What an import of the file would bring; changes nothing. */
    preview: (path: string): Promise<Result<ImportPreview>> => scan(path, () => ok(null)),
    run: (path: string): Promise<Result<ImportReport>> =>
      scan(path, ({ id, facts }) => log.importSession(id, facts)),
  };
}

export type Importer = ReturnType<typeof createImporter>;
