import { appError } from '#shared/app-error';
import { applyEvents } from '#shared/apply-event';
import { err, ok, type Result } from '#shared/result';
import { maxTime, type ImportPreview, type ImportReport, type SessionFile } from '#shared/session-file';
import { emptySession } from '#shared/session-state';
import type { ReadChat, ReadChatFile } from '../ports/chat-files';
import type { Ids } from '../ports/ids';
import type { TimedFact } from '../ports/session-store';
import { importFacts } from './fork-session';
import type { SessionLog } from './session-log';

interface ImporterDeps {
  readonly log: Pick<SessionLog, 'ids' | 'importSession'>;
  readonly read: ReadChatFile;
  readonly ids: Ids;
}

interface Found {
  readonly id: string;
  readonly turns: number;
  readonly facts: readonly TimedFact[];
}

/** What is wrong with the order of a file's events, or null: a fold of them must not grow without bound. */
function problemIn({ id, events }: SessionFile): string | null {
  let turns = 0;
  let seq = 0;
  for (const [index, event] of events.entries()) {
    const field = `events.${index}`;
    if (event.sessionId !== id) return `${field}.sessionId: the event belongs to another session`;
    if (Math.abs(event.at) > maxTime) return `${field}.at: ${event.at} is not a time`;
    if (event.seq <= seq) return `${field}.seq: expected more than ${seq}, received ${event.seq}`;
    seq = event.seq;
    if (event.type === 'message-sent') {
      if (event.turn !== turns) return `${field}.turn: expected ${turns}, received ${event.turn}`;
      turns += 1;
    } else if ('turn' in event && event.turn !== null && event.turn >= turns) {
      return `${field}.turn: there is no turn ${event.turn} yet`;
    }
  }
  return turns === 0 ? 'events: the session has no turns' : null;
}

function found(chat: ReadChat, ids: Ids): Result<Found> {
  if (chat.kind === 'chat') return ok(chat);
  const { file } = chat;
  const problem = problemIn(file);
  if (problem !== null) {
    const hint = 'Export the session again.';
    return err(appError('HOST', 'INVALID_INPUT', `The session file is damaged: ${problem}.`, { hint }));
  }
  // A session that lost events in its database has gaps in its file; the fold would stop at the first one.
  const events = file.events.map((event, index) => ({ ...event, seq: index + 1 }));
  const state = applyEvents(emptySession(file.id), events);
  return ok({ id: file.id, turns: state.turnCount, facts: importFacts(state, events, ids) });
}

/**
 * Imports conversations from files. Each session is stored whole or not at all; one that an earlier import brought is
 * counted as present and left as it is, so that an interrupted import can be repeated. Imported runs are history: they
 * cannot be resumed or undone.
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
        const taken = take(each.value);
        if (!taken.ok) failed.result = taken;
        else {
          counts.sessions += 1;
          counts.turns += each.value.turns;
        }
      }
    });
    if (!summary.ok) return summary;
    return failed.result ?? ok({ ...counts, ...summary.value });
  };
  return {
    /** What an import of the file would bring; changes nothing. */
    preview: (path: string): Promise<Result<ImportPreview>> => scan(path, () => ok(null)),
    run: (path: string): Promise<Result<ImportReport>> =>
      scan(path, ({ id, facts }) => log.importSession(id, facts)),
  };
}

export type Importer = ReturnType<typeof createImporter>;
