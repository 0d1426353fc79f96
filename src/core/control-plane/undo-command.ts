import { appError } from '#shared/app-error';
import { ledgerOf } from '#shared/ledger';
import { err, ok } from '#shared/result';
import type { CommandCall, ResolverItem } from '#shared/resolver';
import type { RunState, SessionState, Turn } from '#shared/session-state';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { Undo } from '../session/undo-run';
import type { CatalogFiller } from './catalog-sources';

const undoable = (run: RunState | undefined) =>
  run ? ledgerOf(run).filter(({ undo }) => undo === 'possible') : [];

/** The newest run of a session whose file changes can still be undone. */
function lastWriter(state: Pick<SessionState, 'blocks'> | null | undefined): RunState | undefined {
  return state?.blocks.flat().findLast(({ run }) => run?.writes.length && undoable(run).length > 0)?.run;
}

function itemOf(run: RunState) {
  const changes = undoable(run);
  const [first] = changes;
  const what =
    changes.length === 1 && first ? `the change of ${first.target}` : `all ${changes.length} file changes`;
  return {
    header: { id: run.runId, displayName: `${what} of “${run.goal.slice(0, 80)}”` },
    aliases: [],
    keywords: [],
  };
}

/** What "undo the file changes" is about: the newest run that wrote files, or nothing. */
export const lastWrites: CatalogFiller = {
  scopeKey: ({ sessionId, state }) => {
    const run = lastWriter(state);
    return `${sessionId ?? ''}:${run?.runId ?? ''}:${undoable(run).length}`;
  },
  load: ({ state }) => {
    const run = lastWriter(state);
    return Promise.resolve(ok(run ? [itemOf(run)] : []));
  },
};

/** Whether a turn took back a command, so that it and that command cancel each other out. */
const isUndo = ({ route }: Turn): boolean =>
  route?.trace.candidates.some(({ commandId, outcome }) => commandId === 'UndoLast' && outcome === 'won') ??
  false;

/** The newest thing of a session that can still be taken back: a command's change, or what a run wrote. */
function newestChange(state: Pick<SessionState, 'blocks'> | null | undefined): ResolverItem | undefined {
  let takenBack = 0;
  for (const turn of state?.blocks.flat().toReversed() ?? []) {
    const { command, run } = turn;
    if (run && run.writes.length > 0 && undoable(run).length > 0) {
      return { ...itemOf(run), runs: { commandId: 'UndoRun', id: run.runId } };
    }
    if (!command?.undo) continue;
    if (isUndo(turn)) takenBack += 1;
    else if (takenBack > 0) takenBack -= 1;
    else return undoItem(command.undo, command.summary ?? command.displayName);
  }
  return undefined;
}

function undoItem(undo: CommandCall, summary: string): ResolverItem {
  const header = { id: `${undo.commandId}:${undo.id}`, displayName: `“${summary}”` };
  return { header, aliases: [], keywords: [], runs: undo };
}

/** What "undo" alone is about: the newest change of the session, or nothing. */
export const lastChange: CatalogFiller = {
  scopeKey: ({ sessionId, state }) => `${sessionId ?? ''}:${newestChange(state)?.header.id ?? ''}`,
  load: ({ state }) => {
    const item = newestChange(state);
    return Promise.resolve(ok(item ? [item] : []));
  },
};

const noSession = appError('HOST', 'STATE', 'There is no session whose run could be undone.');

const counted = (count: number): string => `${count} ${count === 1 ? 'write' : 'writes'}`;

/** `undo_run`: takes back what a run wrote to project files. Only the user's command may call it. */
export function createUndoRunTool({ undo }: Pick<Undo, 'undo'>): BuiltInTool {
  return {
    name: 'undo_run',
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    needsSession: true,
    toolUsageMetadata: 'Takes back what a run wrote to project files.',
    schema: {
      type: 'object',
      properties: { runId: { type: 'string' } },
      required: ['runId'],
      additionalProperties: false,
    },
    async execute(argumentsJson, { sessionId }) {
      const { runId } = JSON.parse(argumentsJson) as { readonly runId: string };
      if (sessionId === null) return err(noSession);
      const report = await undo({ sessionId, runId });
      if (!report.ok) return report;
      const { undone, refused } = report.value;
      const [first] = refused;
      if (undone.length === 0 && first) {
        const hint = `In the window, the list of writes under the run shows the difference and undoes the others; in a terminal, "patina undo ${runId}" does, with --diff and --partial.`;
        return err(appError('HOST', 'STATE', `Nothing was undone. ${first.reason}`, { hint }));
      }
      const unchanged =
        refused.length > 0 ? ` Not undone: ${refused.map(({ target }) => target).join(', ')}.` : '';
      return ok(JSON.stringify({ success: true, summary: `${counted(undone.length)} undone.${unchanged}` }));
    },
  };
}
