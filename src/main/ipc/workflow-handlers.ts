import type { IpcHandlers } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import { headTurn } from '#shared/turn-tree';
import type { App } from '../app';
import { retryLine } from '../../core/workflows/retry-line';

async function sendRetry(app: Pick<App, 'lines' | 'log'>, sessionId: string): Promise<Result<null>> {
  const state = app.log.state(sessionId);
  const last = state && headTurn(state);
  if (!last) return ok(null);
  const { runMode, model } = last;
  const sent = await app.lines.send({ sessionId, text: retryLine, runMode, model, ui: true });
  return sent.ok ? ok(null) : sent;
}

/** The user's control of a running workflow. */
export function createWorkflowHandlers(
  app: Pick<App, 'lines' | 'log' | 'reloadWorkflows' | 'workflowController'>,
) {
  const { workflowController: workflows } = app;
  return {
    async 'workflow-act'({ sessionId, act }) {
      switch (act.type) {
        case 'give-inputs':
          return workflows.giveInputs(sessionId, act.inputs);
        case 'choose': {
          const chosen = workflows.choose(sessionId, act.choice);
          return chosen.ok && act.choice === 'retry' ? sendRetry(app, sessionId) : chosen;
        }
        case 'cancel':
          return workflows.cancel(sessionId);
        case 'reload':
          return app.reloadWorkflows(sessionId);
      }
    },
  } satisfies Partial<IpcHandlers>;
}
