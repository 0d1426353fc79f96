import type { SessionEvent } from '#shared/session-event';
import { headTurn } from '#shared/turn-tree';
import type { App } from '../../app';
import { openNamedSession } from '../open-session';
import { fail, print, type ExitCode, type Terminal } from '../output';
import { readPairs } from '../read-input';
import { chatLine, type ChatParts } from './chat';

export interface WorkflowStartOptions {
  readonly session?: string;
  /** Inputs as `name=value`. */
  readonly input: readonly string[];
}

type Progress = 'not started' | 'running' | 'completed' | 'cancelled';

/** How far a workflow has come, after these events. */
function progressAfter(before: Progress, events: readonly SessionEvent[]): Progress {
  const last = events.findLast(({ type }) => type === 'workflow-started' || type === 'workflow-ended');
  if (last?.type === 'workflow-started') return 'running';
  if (last?.type !== 'workflow-ended') return before;
  return last.outcome === 'completed' ? 'completed' : 'cancelled';
}

/** Sends the line that starts the workflow; resolves to how far it has come when nothing is in progress. */
async function start(
  app: ChatParts,
  terminal: Terminal,
  line: Parameters<typeof chatLine>[2],
): Promise<Progress> {
  const progress = { now: 'not started' as Progress };
  const unsubscribe = app.log.subscribe((events, sessionId) => {
    if (sessionId === line.sessionId) progress.now = progressAfter(progress.now, events);
  });
  await chatLine(app, terminal, line);
  unsubscribe();
  return progress.now;
}

/**
 * `patina workflow start ID`: starts a published workflow, asks for the inputs that `--input` does not give, and
 * prints the model's first reply. The conversation continues in `patina chat --session`.
 */
export async function workflowStartCommand(
  app: ChatParts & Pick<App, 'authoring'>,
  terminal: Terminal,
  workflowId: string,
  { session, input }: WorkflowStartOptions,
): Promise<ExitCode> {
  const known = app.authoring.panel.view(workflowId);
  if (!known.ok) return fail(terminal, known.error);
  const provided = readPairs('--input', input);
  if (!provided.ok) return fail(terminal, provided.error);
  const opened = openNamedSession(app, terminal, session);
  if (!opened.ok) return fail(terminal, opened.error);
  const { id: sessionId } = opened.value;
  const line = { sessionId, text: `use workflow: ${workflowId}`, provided: provided.value };
  // With --json, standard output belongs to the one document.
  const progress = await start(app, terminal.json ? { ...terminal, out: terminal.log } : terminal, line);
  if (terminal.json)
    print(terminal, { sessionId, workflowId, progress, text: lastReply(app, sessionId) }, () => '');
  if (progress === 'running') terminal.log(`To continue: patina chat --session ${sessionId}`);
  return progress === 'running' || progress === 'completed' ? 0 : 1;
}

function lastReply(app: Pick<App, 'log'>, sessionId: string): string {
  const state = app.log.state(sessionId);
  return (state && headTurn(state)?.reply?.text) ?? '';
}
