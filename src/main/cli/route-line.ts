import { appError, type AppError } from '#shared/app-error';
import { windowActionOf } from '#shared/command';
import { err, ok, type Result } from '#shared/result';
import type { Action } from '#shared/route';
import { turnAt } from '#shared/session-state';
import { isWindowActionId } from '#shared/window-action-ids';
import { openQuestionOf, type RoutedLine } from '../../core/control-plane/submit-line';
import type { NewLine } from '../../core/session/session-line';
import type { App } from '../app';
import { questionText } from './ask-question';
import { fail, print, type ExitCode, type Terminal } from './output';
import { hintFor, isRecorded, recordedFact } from './window-actions';

type RouteParts = Pick<App, 'lines' | 'log' | 'plane'>;

/** Whether a command starts a run, which follows the rules of its own command and not those of the line. */
function startsRun({ plane }: RouteParts, commandId: string | undefined): boolean {
  const tool = commandId === undefined ? undefined : plane.command(commandId)?.toolName;
  return tool === 'run_recipe' || tool?.startsWith('mcp://') === true;
}

/** Why a command cannot be carried out without the window; null when it can. */
function needsWindow({ plane }: RouteParts, commandId: string): AppError | null {
  const command = plane.command(commandId);
  const actionId = command && windowActionOf(command);
  if (!command || actionId === undefined || !isWindowActionId(actionId) || isRecorded(actionId)) return null;
  const hint = hintFor(actionId);
  return appError('HOST', 'STATE', `“${command.displayName}” was not done: it needs the window.`, { hint });
}

const declines = (action: Action): boolean =>
  action.type === 'continue-with-llm' && action.reasonCode === 'question-declined';

/** Whether the line is a command, a question about one, or a no to such a question. */
function isForHost(app: RouteParts, action: Action): boolean {
  if (action.type !== 'invoke-command' && action.type !== 'ask-clarifying-question') return declines(action);
  return !startsRun(app, action.commandId);
}

/**
 * Handles a line of a named session that is a command, or about one, as a chat does; null when the line is for
 * the model. Pickers stay closed, because nobody can choose here.
 */
async function routed(app: RouteParts, line: NewLine): Promise<Result<RoutedLine> | null> {
  const opened = app.log.open(line.sessionId);
  if (!opened.ok) return opened;
  const { action } = await app.lines.preview(line.text, { state: opened.value.state, ui: false });
  if (!isForHost(app, action)) return null;
  const refused = action.type === 'invoke-command' ? needsWindow(app, action.commandId) : null;
  return refused ? err(refused) : app.lines.send({ ...line, ui: false });
}

const lost = appError('HOST', 'STATE', 'The command did not run.');

/** Prints what a command did, or the question that comes before it. */
function printRouted(app: RouteParts, terminal: Terminal, sessionId: string, turn: number): ExitCode {
  const state = app.log.state(sessionId);
  const question = state ? openQuestionOf(state) : null;
  if (question) {
    const { text, options } = question;
    print(terminal, { sessionId, question: { text, options } }, () => questionText(question));
    terminal.log(`To answer: patina agent --session ${sessionId} "${options[0] ?? 'yes'}"`);
    return 0;
  }
  const command = state ? turnAt(state, turn)?.command : undefined;
  if (!command) return fail(terminal, lost);
  if (command.error) return fail(terminal, command.error);
  const { commandId, summary } = command;
  print(terminal, { sessionId, command: { commandId, summary } }, () => summary);
  return 0;
}

/** The exit code of a line that a command answered; null when the line is for the model. */
export async function runCommandLine(
  app: RouteParts,
  terminal: Terminal,
  line: NewLine,
): Promise<ExitCode | null> {
  const sent = await routed(app, line);
  if (!sent) return null;
  if (!sent.ok) return fail(terminal, sent.error);
  const { done, routing, windowAction } = sent.value;
  await done;
  if (declines(routing.action)) {
    print(terminal, { sessionId: line.sessionId, declined: true }, () => 'Nothing was done.');
    return 0;
  }
  const fact = windowAction && recordedFact(windowAction);
  const recorded = fact ? app.log.append(line.sessionId, [fact]) : ok(null);
  if (!recorded.ok) return fail(terminal, recorded.error);
  return printRouted(app, terminal, line.sessionId, sent.value.turn);
}
