import { appError } from '#shared/app-error';
import { isObject, parseJson } from '#shared/json';
import type { AgentMode } from '#shared/mode';
import { err, ok, type Result } from '#shared/result';
import { parseToolUri } from '#shared/tool-name';
import type { SessionState } from '#shared/session-state';
import type { ApprovePolicy } from '../../../core/ports/agent';
import type { App } from '../../app';
import { builtInScope } from '../../../core/tools/call-scope';
import { resultText, writtenCall } from '../../../core/tools/call-tool';
import { findScope } from '../../../core/workspace/scopes';
import { askQuestions, type QuestionParts } from '../ask-questions';
import { openNamedSession, type OpenParts } from '../open-session';
import { fail, type ExitCode, type Terminal } from '../output';
import { standardInput } from '../read-input';
import { readLines } from '../read-lines';

export interface ToolOptions {
  readonly mode?: string;
  readonly session?: string;
  readonly approve?: ApprovePolicy;
}

interface CallTarget {
  readonly state: SessionState | null;
  readonly mode: AgentMode;
}

/** The session and mode of a call; creates a session for a tool that changes one when none is named. */
function resolveTarget(
  app: OpenParts & Pick<App, 'toolCalls' | 'modes' | 'plane'>,
  terminal: Pick<Terminal, 'log'>,
  name: string,
  { mode, session }: ToolOptions,
): Result<CallTarget> {
  const wanted = mode === undefined ? undefined : app.modes.find(mode);
  if (mode !== undefined && !wanted) {
    return err(appError('HOST', 'NOT_FOUND', app.modes.unknownMode(mode)));
  }
  const needed = session !== undefined || app.toolCalls.find(name)?.needsSession === true;
  const opened = needed ? openNamedSession(app, terminal, session) : ok(null);
  if (!opened.ok) return opened;
  return ok({ state: opened.value, mode: wanted ?? app.plane.modeOf(opened.value) });
}

interface Call {
  readonly name: string;
  readonly argumentsJson: string;
}

interface Calling {
  readonly approve: ApprovePolicy;
  readonly signal: AbortSignal;
}

/** In a session, the same restrictions apply as to a model's call there, including the running workflow. */
async function callIn(
  app: Pick<App, 'log' | 'modelContext' | 'project' | 'toolCalls'>,
  { state, mode }: CallTarget,
  call: Call,
  { approve, signal }: Calling,
): Promise<Result<string>> {
  if (state) {
    const line = { sessionId: state.id, turn: state.turnCount, approve, mode };
    const { result } = await app.modelContext.callTool(line, { id: 'by-hand', ...call }, signal);
    return result;
  }
  const content = findScope(app.log.peek, { project: app.project() });
  if (!content.ok) return content;
  // The restrictions on a model in a new session, including the active tool catalog.
  const lists = app.modelContext.lists({ ...content.value.state, modeId: mode.id });
  const scope = builtInScope({ sessionId: null, turn: null, lists, approve });
  const made = writtenCall(call.name, call.argumentsJson);
  return resultText(await app.toolCalls.callTool(scope, made, signal));
}

/** Calls a server's tool outside any session. Nobody can be asked there, so a write needs `--approve all`. */
async function callTool(
  app: Pick<App, 'agentRuntime' | 'project'>,
  { name, argumentsJson }: Call,
  { approve, signal }: Calling,
): Promise<Result<string>> {
  const project = app.project();
  if (project === null) return err(noFolder);
  const args = parseJson(argumentsJson.trim() || '{}');
  if (!args.ok || !isObject(args.value)) {
    const message = `${name}: the arguments must be one JSON object.`;
    return err(appError('TOOL', 'INVALID_ARGUMENTS', message, { layer: 'arguments', tool: name }));
  }
  const agent = await app.agentRuntime();
  const call = {
    uri: name,
    args: args.value,
    approve: approve === 'all' ? approve : ('none' as const),
    project,
  };
  const result = await agent.callServerTool(call, signal);
  return result.ok ? ok(JSON.stringify(result.value)) : result;
}

const noFolder = appError('HOST', 'INVALID_INPUT', 'There is no project folder.', {
  hint: 'Name one with --project DIR.',
});

/** Whether the tool's own result format reports that the tool did nothing. */
function isRefusal(result: string): boolean {
  const answer = parseJson(result);
  return answer.ok && isObject(answer.value) && answer.value['ok'] === false;
}

/**
 * `patina tool NAME JSON`: prints a built-in tool's result as a model in that mode would get it; a refusal is the
 * typed error. Exits 1 for a refusal or a failure. `-` reads the arguments from standard input, because
 * operating systems limit the length of a command line.
 */
export async function toolCommand(
  app: QuestionParts &
    Pick<App, 'agentRuntime' | 'modelContext' | 'modes' | 'plane' | 'project' | 'sessionScans' | 'toolCalls'>,
  terminal: Terminal,
  { name, argumentsJson: written }: Call,
  options: ToolOptions,
): Promise<ExitCode> {
  const argumentsJson = written === standardInput ? (await readLines(terminal)).join('\n') : written;
  const call = { name, argumentsJson };
  const place = resolveTarget(app, terminal, call.name, options);
  if (!place.ok) return fail(terminal, place.error);
  const { state } = place.value;
  const approve = options.approve ?? (terminal.interactive ? 'ask' : 'none');
  const stop = new AbortController();
  const unsubscribe = terminal.onInterrupt(() => stop.abort());
  const stopAsking = state ? askQuestions(app, terminal, state.id) : () => undefined;
  if (state) await app.plane.warmFully({ state, ui: false });
  const ofServer = !state && parseToolUri(name) !== undefined;
  const calling = { approve, signal: stop.signal };
  const result = ofServer
    ? await callTool(app, call, calling)
    : await callIn(app, place.value, call, calling);
  stopAsking();
  unsubscribe();
  if (!result.ok) return fail(terminal, result.error);
  terminal.out(`${result.value}\n`);
  return isRefusal(result.value) ? 1 : 0;
}
