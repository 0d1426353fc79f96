import { appError } from '#shared/app-error';
import type { IpcHandlers, IpcInput } from '#shared/ipc';
import { err, ok } from '#shared/result';
import { previewOf } from '#shared/session-preview';
import type { SessionFact } from '#shared/session-event';
import { summaryOf, turnAt, type SessionState } from '#shared/session-state';
import { parentOf } from '#shared/turn-tree';
import { createSnapshotParts } from '../main/ipc/snapshot-parts';

const missing = (sessionId: string) =>
  err(appError('HOST', 'NOT_FOUND', `There is no session "${sessionId}".`));

export interface SessionHandlerDeps {
  readonly options: {
    /** The number of damaged events that a repair restores; 1 if absent. */
    readonly restorable?: number;
    readonly onSend?: (sent: IpcInput<'message-send'> & { readonly turn: number }) => void;
  };
  readonly states: ReadonlyMap<string, SessionState>;
  readonly record: (sessionId: string, facts: readonly SessionFact[]) => void;
  readonly remove: (sessionId: string) => void;
}

/** Records facts of an existing session. */
const recordKnown =
  ({ states, record }: SessionHandlerDeps) =>
  (sessionId: string, facts: readonly SessionFact[]) => {
    if (!states.has(sessionId)) return missing(sessionId);
    record(sessionId, facts);
    return ok(null);
  };

function listHandlers(deps: SessionHandlerDeps) {
  const { states, record, remove } = deps;
  const known = recordKnown(deps);
  const snapshots = createSnapshotParts({
    open: (sessionId) => {
      const state = states.get(sessionId);
      return state ? ok({ state, readOnly: null, scanned: true }) : missing(sessionId);
    },
  });
  return {
    'session-list': ({ archived }) =>
      ok(
        [...states.values()]
          .filter((state) => archived === undefined || state.archived === archived)
          .map(summaryOf),
      ),
    'session-search': ({ text }) =>
      ok(
        [...states.values()]
          .filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()))
          .map(({ id, title }) => ({ sessionId: id, sessionTitle: title, turn: 0, snippet: title })),
      ),
    'session-create': ({ project }) => {
      const id = `session-${states.size + 1}`;
      record(id, [{ type: 'session-created', title: '', project: project ?? null }]);
      const state = states.get(id);
      return state ? ok(state) : missing(id);
    },
    'session-open': ({ sessionId }) => {
      const state = states.get(sessionId);
      return state ? ok(state) : missing(sessionId);
    },
    'session-preview': ({ sessionId }) => {
      const state = states.get(sessionId);
      return state ? ok(previewOf(state)) : missing(sessionId);
    },
    'session-snapshot': ({ sessionId, next }) => snapshots.part(sessionId, next),
    'session-rename': ({ sessionId, title }) => known(sessionId, [{ type: 'session-renamed', title }]),
    'session-archive': ({ sessionId }) => known(sessionId, [{ type: 'session-archived' }]),
    'session-repair': () => ok({ restored: 0, damaged: 0 }),
    'session-restorable': () => ok(deps.options.restorable ?? 1),
    'session-restore': ({ sessionId }) => known(sessionId, [{ type: 'session-restored' }]),
    'session-mark': ({ sessionId, ...marks }) => known(sessionId, [{ type: 'session-marked', ...marks }]),
    'session-delete': ({ sessionId }) => {
      if (!states.has(sessionId)) return missing(sessionId);
      remove(sessionId);
      return ok({ deleted: true });
    },
    'session-set-project': ({ sessionId, project }) =>
      known(sessionId, [{ type: 'project-chosen', project }]),
  } satisfies Partial<IpcHandlers>;
}

function turnHandlers(deps: SessionHandlerDeps) {
  const { options, states, record } = deps;
  const known = recordKnown(deps);
  return {
    'message-send': (input) => {
      const state = states.get(input.sessionId);
      if (!state) return missing(input.sessionId);
      const { text, runMode, model, parent } = input;
      const turn = state.turnCount;
      const named: readonly SessionFact[] =
        turn === 0 && state.title === '' ? [{ type: 'session-renamed', title: text.slice(0, 60) }] : [];
      const line = { turn, text, runMode, model, ...(parent !== undefined && { parent }) };
      record(input.sessionId, [...named, { type: 'message-sent', ...line }]);
      options.onSend?.({ ...input, turn });
      return ok({ turn });
    },
    'file-write': ({ sessionId, path, model }) => {
      const state = states.get(sessionId);
      if (!state) return missing(sessionId);
      const turn = state.turnCount;
      record(sessionId, [{ type: 'message-sent', turn, text: `Write ${path}`, runMode: 'agent', model }]);
      return ok({ turn });
    },
    'turn-regenerate': ({ sessionId, turn: regenerates, model }) => {
      const state = states.get(sessionId);
      const found = state && turnAt(state, regenerates);
      if (!found) return missing(sessionId);
      const { text, runMode } = found;
      const turn = state.turnCount;
      const place = { turn, parent: parentOf(found), regenerates };
      record(sessionId, [{ type: 'message-sent', ...place, text, runMode, model }]);
      return ok({ turn });
    },
    'head-move': ({ sessionId, turn }) => known(sessionId, [{ type: 'branch-chosen', turn }]),
    'line-edit': ({ sessionId, ...edit }) => known(sessionId, [{ type: 'line-edited', ...edit }]),
    'line-withdraw': ({ sessionId, lineId }) => known(sessionId, [{ type: 'line-withdrawn', lineId }]),
    'line-move': ({ sessionId, ...move }) => known(sessionId, [{ type: 'line-moved', ...move }]),
    'queue-resume': ({ sessionId }) => known(sessionId, [{ type: 'queue-resumed' }]),
    'turn-stop': ({ sessionId, turn }) =>
      known(sessionId, [{ type: 'reply-ended', turn, outcome: 'stopped' }]),
    'approval-answer': ({ sessionId, runId, answers }) =>
      known(
        sessionId,
        answers.map((answer) => ({ type: 'approval-answered' as const, turn: 0, runId, ...answer })),
      ),
    'approval-edit': () => ok(null),
    'plan-review': () => ok(null),
    'plan-check': () => ok({ findings: [] }),
    'plan-reject': () => ok(null),
    'run-pause': () => ok(null),
    'run-again': () => ok(null),
    'run-undo': ({ runId }) => ok({ runId, undone: [], refused: [] }),
    'run-diff': ({ runId }) => ok({ runId, files: [], others: 0 }),
    'write-settle': () => ok(null),
  } satisfies Partial<IpcHandlers>;
}

/** Handlers for sessions, their lines and their runs. */
export const sessionHandlers = (deps: SessionHandlerDeps) => ({
  ...listHandlers(deps),
  ...turnHandlers(deps),
});
