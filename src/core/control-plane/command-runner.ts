import { appError, type AppError } from '#shared/app-error';
import { needsConfirmation, windowActionOf, windowActionTool, type CommandDefinition } from '#shared/command';
import { sourceId, type CommandCall } from '#shared/resolver';
import { isObject, parseJson, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { emptySession, type SessionState } from '#shared/session-state';
import type { Settings } from '#shared/settings';
import { thisItemId, type WindowActionCall, type WindowSubject } from '#shared/window-action';
import { isWindowActionId } from '#shared/window-action-ids';
import type { EntityHeader } from '#shared/work-context';
import type { Conversation } from '../session/conversation';
import type { SentLine } from '../session/turn-work';
import { commandScope } from '../tools/call-scope';
import { resultText, writtenCall, type ToolCalls } from '../tools/call-tool';
import { toolCallPlan } from '../tools/tool-call-plan';
import type { SessionLog } from '../session/session-log';
import { setContextTool } from './context-tools';
import type { ControlPlane } from './control-plane';
import { inverseOf } from './inverse-command';
import { setModelTool } from './set-model-tool';
import { setSettingTool } from './set-setting-tool';

/** A command, its argument, and the line it belongs to. */
export interface CommandRun {
  readonly sessionId: string;
  readonly turn: number;
  readonly commandId: string;
  readonly id: string;
  /** The approved tool call that proposed the command; absent for the user's own command. */
  readonly toolCallId?: string;
}

/** The outcome of a command; a run that it started continues on the command's line. */
export interface CommandOutcome {
  readonly outcome: 'done' | 'failed';
  readonly summary: string;
  readonly pending: SentLine['done'] | null;
  /** The session that the command opens. */
  readonly opened?: string;
  /** What the command asks the window, or the terminal, to do. */
  readonly windowAction?: WindowActionCall;
}

/** The command boundary: every command runs here and nowhere else (AGN-000037 §10). */
export type CommandRunner = ReturnType<typeof createCommandRunner>;

export interface CommandRunnerDeps {
  readonly plane: ControlPlane;
  readonly log: SessionLog;
  readonly toolCalls: ToolCalls;
  readonly roles: () => readonly string[];
  readonly settings: () => Settings;
  /** Runs a recipe, or one call of a server's tool, on the command's line. */
  readonly conversation: Pick<Conversation, 'resume'>;
}

const recipeTool = 'run_recipe';

interface PreparedCommand {
  readonly command: CommandDefinition;
  readonly item: EntityHeader;
  readonly state: SessionState;
}

/**
 * The item's id and the row's constants. A command that sets the focus adds the entity type and the source.
 */
function argumentsOf({ command, item }: PreparedCommand): JsonObject {
  const { singleParameterName, constants, activeEntityType, resolverSource, toolName } = command;
  const focus =
    toolName === setContextTool && activeEntityType !== undefined
      ? { entityType: activeEntityType, source: { ...resolverSource } }
      : {};
  return { ...constants, ...focus, [singleParameterName]: item.id };
}

function missingRoles(command: CommandDefinition, roles: readonly string[]): AppError | null {
  const missing = command.requiredRoles.filter((role) => !roles.includes(role));
  if (missing.length === 0) return null;
  return appError('POLICY', 'ROLE_REQUIRED', `${command.displayName} needs the role ${missing.join(', ')}.`, {
    hint: 'Roles are set in ui_settings.json, or with --roles on the command line.',
  });
}

function missingFocus({ command, state }: PreparedCommand): AppError | null {
  const { requiredFocus } = command;
  if (requiredFocus === undefined || state.context?.entityType === requiredFocus) return null;
  const kind = requiredFocus.replaceAll('_', ' ');
  return appError('HOST', 'STATE', `${command.displayName} needs an active ${kind}, but there is none.`, {
    hint: `Choose the ${kind} first.`,
  });
}

/** A text field of the tool's result. */
function textField(result: string, name: 'summary' | 'opened'): string | undefined {
  const parsed = parseJson(result);
  const value = parsed.ok && isObject(parsed.value) ? parsed.value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** One line about the outcome: the tool's own summary, else the command's name and its argument. */
function summaryOf({ command, item }: PreparedCommand, result: string): string {
  const resultSummary = textField(result, 'summary');
  if (resultSummary !== undefined) return resultSummary;
  if (item.id === thisItemId && windowActionOf(command) !== undefined) return command.displayName;
  return command.setsSessionMode
    ? `Mode: ${item.displayName}`
    : `${command.displayName}: ${item.displayName}`;
}

/** The window action that a command stands for, with the text that its line gave. */
function windowActionCall({ command, item }: PreparedCommand): WindowActionCall | undefined {
  const actionId = windowActionOf(command);
  if (actionId === undefined || !isWindowActionId(actionId)) return undefined;
  return { actionId, ...(item.id !== thisItemId && { text: item.id }) };
}

/** Finds the command and the item; HOST/NOT_FOUND when either is gone. */
function prepare({ plane, log }: CommandRunnerDeps, run: CommandRun): Result<PreparedCommand> {
  const state = log.state(run.sessionId);
  const command = plane.command(run.commandId);
  if (!state || !command) {
    return err(appError('HOST', 'NOT_FOUND', `There is no command ${run.commandId}.`));
  }
  const found = plane.find(state, command.resolverSource, run.id);
  if (found) return ok({ command, item: found.item.header, state });
  return err(appError('HOST', 'NOT_FOUND', `${command.displayName}: “${run.id}” can no longer be chosen.`));
}

/** Starts the run of a command; the run ends on its own card. Null for a built-in tool. */
function startRun(
  { conversation }: CommandRunnerDeps,
  { sessionId, turn }: CommandRun,
  prepared: PreparedCommand,
): Result<SentLine> | null {
  const { command, item } = prepared;
  if (command.toolName.startsWith('mcp://')) {
    const plan = toolCallPlan(command.toolName, command.displayName, argumentsOf(prepared));
    if (!plan) return err(appError('TOOL', 'NOT_FOUND', `There is no tool ${command.toolName}.`));
    // The card of the call is the confirmation that the row asks for, also where the tool only reads.
    const writes = needsConfirmation(command) ? [command.toolName] : [];
    return conversation.resume({ sessionId, turn, provided: { plan, writes } });
  }
  if (command.toolName !== recipeTool) return null;
  return conversation.resume({ sessionId, turn, provided: { recipeId: item.id, params: {} } });
}

/** Where a command's tool is called: the turn of its line, or no session. */
interface CallPlace extends Pick<CommandRun, 'toolCallId'> {
  readonly sessionId: string | null;
  readonly turn: number | null;
}

const noPlace: CallPlace = { sessionId: null, turn: null };

async function callTool(
  { toolCalls }: CommandRunnerDeps,
  place: CallPlace,
  prepared: PreparedCommand,
): Promise<Result<string>> {
  const { sessionId, turn, toolCallId } = place;
  const { toolName, commandId } = prepared.command;
  const { signal } = new AbortController();
  const cause = toolCallId === undefined ? { commandId } : { toolCallId };
  const call = writtenCall(toolName, JSON.stringify(argumentsOf(prepared)));
  return resultText(await toolCalls.callTool(commandScope(sessionId, turn, cause), call, signal));
}

/** Runs a prepared command and returns its outcome for the last fact. */
async function executeCommand(
  deps: CommandRunnerDeps,
  run: CommandRun,
  prepared: PreparedCommand,
): Promise<Result<CommandOutcome>> {
  const refusal = missingRoles(prepared.command, deps.roles()) ?? missingFocus(prepared);
  if (refusal) return err(refusal);
  const started = startRun(deps, run, prepared);
  if (started) {
    if (!started.ok) return started;
    return ok({ outcome: 'done', summary: summaryOf(prepared, '{}'), pending: started.value.done });
  }
  const result = await callTool(deps, run, prepared);
  if (!result.ok) return result;
  const opened = textField(result.value, 'opened');
  const summary = summaryOf(prepared, result.value);
  const windowAction = windowActionCall(prepared);
  return ok({
    outcome: 'done',
    summary,
    pending: null,
    ...(opened !== undefined && { opened }),
    ...(windowAction && { windowAction }),
  });
}

/** Subjects of window actions that exist without a session. */
const appSubjects: ReadonlySet<string> = new Set<WindowSubject>(['this_window', 'search_words']);

/** The tools of commands that change the app and no session. */
const appTools: ReadonlySet<string> = new Set(['open_session', 'set_run_mode', setModelTool, setSettingTool]);

const changesApp = ({ toolName, resolverSource }: CommandDefinition): boolean =>
  appTools.has(toolName) || (toolName === windowActionTool && appSubjects.has(sourceId(resolverSource)));

/** What a command did that needed no session; `undo` is the command that takes it back. */
export interface AppChange extends Pick<CommandOutcome, 'opened' | 'windowAction'> {
  readonly summary: string;
  readonly undo?: CommandCall;
}

/** Runs a command that changes the app and no session; null for any other command. */
async function changeApp(
  deps: CommandRunnerDeps,
  { commandId, id }: CommandCall,
): Promise<Result<AppChange | null>> {
  const command = deps.plane.command(commandId);
  const item = command && deps.plane.find(null, command.resolverSource, id)?.item.header;
  if (!command || !item || !changesApp(command)) return ok(null);
  const prepared = { command, item, state: emptySession('') };
  const refused = missingRoles(command, deps.roles());
  if (refused) return err(refused);
  const windowAction = windowActionCall(prepared);
  if (windowAction) return ok({ windowAction, summary: summaryOf(prepared, '{}') });
  const undo = inverseOf({ plane: deps.plane, settings: deps.settings() }, prepared);
  const result = await callTool(deps, noPlace, prepared);
  if (!result.ok) return result;
  const opened = textField(result.value, 'opened');
  const summary = summaryOf(prepared, result.value);
  return ok({ summary, ...(opened !== undefined && { opened }), ...(undo && { undo }) });
}

export function createCommandRunner(deps: CommandRunnerDeps) {
  const { plane, log } = deps;
  const record = (sessionId: string, fact: SessionFact): Result<null> => {
    const appended = log.append(sessionId, [fact]);
    return appended.ok ? ok(null) : appended;
  };
  return {
    changeApp: (call: CommandCall) => changeApp(deps, call),
    /**
     * Checks the command, calls its tool through the gate, and records start and outcome. A failed command is a
     * recorded fact, not an error; an error means that nothing could be recorded.
     */
    async run(run: CommandRun): Promise<Result<CommandOutcome>> {
      const { sessionId, turn, commandId } = run;
      const prepared = prepare(deps, run);
      const item = prepared.ok ? prepared.value.item : { id: run.id, displayName: run.id };
      const displayName = plane.command(commandId)?.displayName ?? commandId;
      const invoked = record(sessionId, { type: 'command-invoked', turn, commandId, displayName, item });
      if (!invoked.ok) return invoked;
      const inverse = prepared.ok ? inverseOf({ plane, settings: deps.settings() }, prepared.value) : null;
      const carried = prepared.ok ? await executeCommand(deps, run, prepared.value) : prepared;
      const end: CommandOutcome = carried.ok
        ? carried.value
        : { outcome: 'failed', summary: carried.error.message, pending: null };
      const { outcome, summary } = end;
      const more = carried.ok ? inverse && { undo: inverse } : { error: carried.error };
      const ended = record(sessionId, { type: 'command-ended', turn, outcome, summary, ...more });
      return ended.ok ? ok(end) : ended;
    },
  };
}
