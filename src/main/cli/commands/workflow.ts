import { appError, type AppError } from '#shared/app-error';
import type { AuthoringAnswer, AuthoringRow } from '#shared/workflow-authoring';
import type { App } from '../../app';
import type { BuiltInToolContext } from '../../../core/ports/built-in-tool';
import type { Removal } from '../../../core/workflows/authoring/remove-workflow';
import { describeError, fail, print, type ExitCode, type Terminal } from '../output';

/** The user at the terminal; running the command is the confirmation. */
const byHand = (commandId: string): BuiltInToolContext => ({
  sessionId: null,
  turn: null,
  callId: commandId,
  cause: { commandId },
  actor: 'user',
  approve: 'none',
  signal: new AbortController().signal,
});

const rowText = ({ workflowId, title, status, version, visibility }: AuthoringRow): string =>
  `${workflowId}  ${version || '–'}  ${status}  ${visibility || '–'}  ${title}`;

/** An answer of the authoring for people. */
export function authoringText(answer: AuthoringAnswer): string {
  if (answer.ok) return [...(answer.workflows ?? []).map(rowText), ...(answer.messages ?? [])].join('\n');
  if (answer.error) return describeError(answer.error);
  return answer.errors
    .map(({ field, message }) => (message.startsWith(field) ? message : `${field}: ${message}`))
    .join('\n');
}

/** Prints authoring results in their own format, with any error inside. */
function show(terminal: Terminal, answer: AuthoringAnswer): ExitCode {
  print(terminal, answer, () => authoringText(answer));
  return answer.ok ? 0 : 1;
}

export async function workflowListCommand(
  { authoring }: Pick<App, 'authoring'>,
  terminal: Terminal,
): Promise<ExitCode> {
  const operation = 'list_authoring_workflows';
  return show(terminal, await authoring.call({ operation }, byHand(operation)));
}

/** Removes a disabled workflow from the registry (TUL-006 §8.9). */
export async function workflowRemoveCommand(
  { authoring }: Pick<App, 'authoring'>,
  terminal: Terminal,
  removal: Removal,
): Promise<ExitCode> {
  return show(terminal, await authoring.remove(removal, byHand('remove_workflow')));
}

const noHistory = (id: string): AppError =>
  appError('HOST', 'NOT_FOUND', `No version of ‘${id.slice(0, 100)}’ was ever published.`, {
    hint: 'List the workflows and drafts with: patina workflow list',
  });

export function workflowHistoryCommand(
  { authoring }: Pick<App, 'authoring'>,
  terminal: Terminal,
  id: string,
): ExitCode {
  const history = authoring.history(id);
  if (!history.ok) return fail(terminal, history.error);
  if (history.value.length === 0) return fail(terminal, noHistory(id));
  print(terminal, history.value, () =>
    history.value
      .map(({ what, definition, decision }) => {
        const { by, at, reason, ddr } = decision;
        return `${definition.Version}  ${what}  ${at || '–'}  ${by}  ${ddr}  ${reason}`;
      })
      .join('\n'),
  );
  return 0;
}

/** Switches the session to the currently published workflows; HOST/STATE while a workflow runs in it. */
export function workflowReloadCommand(
  app: Pick<App, 'reloadWorkflows'>,
  terminal: Terminal,
  sessionId: string,
): ExitCode {
  const reloaded = app.reloadWorkflows(sessionId);
  if (!reloaded.ok) return fail(terminal, reloaded.error);
  print(terminal, { reloaded: true, sessionId }, () => 'The session now uses the published workflows.');
  return 0;
}
