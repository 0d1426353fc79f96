import { appError } from '#shared/app-error';
import { ledgerOf } from '#shared/ledger';
import { err, ok } from '#shared/result';
import type { RunState, SessionState } from '#shared/session-state';
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

/** What "undo that" is about: the newest run that wrote files, or nothing. */
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
        const hint = 'The list of writes under the run shows the difference and undoes the others.';
        return err(appError('HOST', 'STATE', `Nothing was undone. ${first.reason}`, { hint }));
      }
      const unchanged =
        refused.length > 0 ? ` Not undone: ${refused.map(({ target }) => target).join(', ')}.` : '';
      return ok(JSON.stringify({ success: true, summary: `${counted(undone.length)} undone.${unchanged}` }));
    },
  };
}
