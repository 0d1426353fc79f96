import type { IpcHandlers } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { activityOf } from '#shared/attention';
import { summaryOf, type SessionSummary } from '#shared/session-state';
import { writeFilePlan } from '../../core/agent/write-file-plan';
import type { App } from '../app';
import type { Desktop } from './app-handlers';
import { createSnapshotParts } from './snapshot-parts';

/** The window's requests about sessions and their lines. */
export function createSessionHandlers(
  app: Pick<
    App,
    | 'agentMode'
    | 'checkProject'
    | 'undoCompaction'
    | 'conversation'
    | 'lines'
    | 'log'
    | 'project'
    | 'sessionScans'
    | 'sessionSearch'
  >,
  confirmDelete: Desktop['confirmDelete'],
) {
  const { log, conversation } = app;
  const snapshots = createSnapshotParts(log);
  const record = (sessionId: string, fact: SessionFact): Result<null> => {
    const appended = log.append(sessionId, [fact]);
    return appended.ok ? ok(null) : appended;
  };
  const withActivity = (summary: SessionSummary): SessionSummary => {
    const activity = activityOf(log.state(summary.id) ?? undefined);
    return activity === null ? summary : { ...summary, activity };
  };
  return {
    'session-list': (which) => {
      const listed = log.summaries(which);
      return listed.ok ? ok(log.marked(listed.value).map(withActivity)) : listed;
    },
    'session-search': ({ text }) => app.sessionSearch.search(text),
    'session-similar': ({ text }) => app.sessionSearch.similar(text),
    'session-create': ({ project }) => log.create(project ?? app.project()),
    'session-open': ({ sessionId }) => {
      const opened = log.open(sessionId);
      return opened.ok ? ok(opened.value.state) : opened;
    },
    'session-snapshot': ({ sessionId, next }) => {
      const part = snapshots.part(sessionId, next);
      if (next === undefined) app.sessionScans.opened(sessionId);
      return part;
    },
    'session-preview': ({ sessionId }) => log.preview(sessionId),
    'session-rename': ({ sessionId, title }) => record(sessionId, { type: 'session-renamed', title }),
    'session-instructions': ({ sessionId, text }) =>
      record(sessionId, { type: 'instructions-changed', text }),
    'session-parameters': ({ sessionId, parameters }) =>
      record(sessionId, { type: 'parameters-changed', parameters }),
    'session-archive': ({ sessionId }) => record(sessionId, { type: 'session-archived' }),
    'session-restore': ({ sessionId }) => record(sessionId, { type: 'session-restored' }),
    'session-mark': ({ sessionId, ...marks }) => record(sessionId, { type: 'session-marked', ...marks }),
    'session-repair': async ({ sessionId }) => {
      const repaired = await app.sessionScans.repair(sessionId);
      if (!repaired.ok) return repaired;
      const { fromUnreadable, fromCopies, damaged } = repaired.value;
      return ok({ restored: fromUnreadable + fromCopies, damaged });
    },
    'session-restorable': ({ sessionId }) => app.sessionScans.restorable(sessionId),
    'session-delete': async ({ sessionId }) => {
      const state = log.peek(sessionId);
      if (!state.ok) return state;
      const removable = log.removable(sessionId);
      if (!removable.ok) return removable;
      if (!(await confirmDelete(state.value.title))) return ok({ deleted: false });
      const removed = log.remove(sessionId);
      return removed.ok ? ok({ deleted: true }) : removed;
    },
    'session-fork': ({ sessionId, turn }) => {
      const forked = log.fork(sessionId, turn);
      return forked.ok ? ok(summaryOf(forked.value)) : forked;
    },
    'session-set-project': ({ sessionId, project }) => {
      const folder = app.checkProject(project);
      return folder.ok ? record(sessionId, { type: 'project-chosen', project: folder.value }) : folder;
    },
    'message-send': async (request) => {
      // With Agent Mode off, lines go to Ask, whatever mode is stored.
      const runMode = app.agentMode.enabled ? request.runMode : 'ask';
      const sent = await app.lines.send({ ...request, runMode, ui: true, resumesQueue: true });
      if (!sent.ok) return sent;
      const { turn, opened, windowAction, routing } = sent.value;
      return ok({
        turn,
        ...(opened !== undefined && { opened }),
        ...(windowAction && { windowAction }),
        ...(routing.action.type === 'invoke-command' && { command: true as const }),
      });
    },
    'file-write': ({ path, content, ...place }) => {
      const plan = writeFilePlan(path, content);
      if (!plan.ok) return plan;
      const provided = { plan: plan.value };
      const line = { ...place, text: plan.value.goal, runMode: 'agent' as const, provided };
      const sent = conversation.send(line);
      return sent.ok ? ok({ turn: sent.value.turn }) : sent;
    },
    'turn-regenerate': async ({ instead = false, ...request }) => {
      const sent = await (instead ? conversation.takeOver(request) : conversation.regenerate(request));
      return sent.ok ? ok({ turn: sent.value.turn }) : sent;
    },
    'head-move': ({ sessionId, turn }) => conversation.moveHead(sessionId, turn),
    'compaction-undo': ({ sessionId, upTo }) => app.undoCompaction(sessionId, upTo),
    'line-edit': conversation.editLine,
    'line-withdraw': conversation.withdrawLine,
    'line-move': conversation.moveLine,
    'queue-resume': ({ sessionId }) => conversation.resumeQueue(sessionId),
    'turn-stop': ({ sessionId, turn }) => conversation.stop(sessionId, turn),
  } satisfies Partial<IpcHandlers>;
}
