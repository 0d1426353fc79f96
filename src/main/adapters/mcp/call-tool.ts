import { SdkError, SdkErrorCode, type CallToolResult, type Tool } from '@modelcontextprotocol/client';
import { appError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ToolDefinition } from '../../../core/ports/tool-definition';
import type { ToolProgress } from '../../../core/ports/tools';
import type { ElicitationScope } from './elicitation-scope';
import { callFailure, mayHaveExecuted } from './call-failure';
import type { OutputCheck } from './output-check';
import type { ServerSession, Timeouts } from './server-session';
import { detailOf } from './server-state';
import { stripControls } from './text-tail';
import { toolResult, type StoreContent } from './tool-result';

/** Time limits of a call, in milliseconds. */
interface CallTimes {
  /** Without any progress from the server. */
  readonly quietMs: number;
  /** In total, however often the server reports progress. */
  readonly totalMs: number;
}

/** The timer of one call; it pauses while its server waits for the user. */
interface CallClock {
  /** The server reported progress. */
  readonly heard: () => void;
  /** The server waits for the user; call the returned function when the wait ends. */
  readonly pause: () => () => void;
  readonly end: () => void;
}

/** Starts the timer; calls `onOver` once when the time is up. */
export function startCallClock({ quietMs, totalMs }: CallTimes, onOver: () => void): CallClock {
  let quiet = quietMs;
  let total = totalMs;
  let since = performance.now();
  let waits = 0;
  let timer: NodeJS.Timeout | null = null;
  const stop = (): void => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    const passed = performance.now() - since;
    quiet -= passed;
    total -= passed;
  };
  const go = (): void => {
    since = performance.now();
    timer = setTimeout(onOver, Math.max(0, Math.min(quiet, total)));
  };
  go();
  return {
    heard() {
      if (timer === null) {
        quiet = quietMs;
        return;
      }
      stop();
      quiet = quietMs;
      go();
    },
    pause() {
      waits += 1;
      stop();
      let over = false;
      return () => {
        if (over) return;
        over = true;
        waits -= 1;
        if (waits === 0) go();
      };
    },
    end() {
      // Prevents a restart: a pending pause that ends later must not resume a stopped timer.
      waits = Infinity;
      stop();
    },
  };
}

export interface CallDeps {
  readonly server: string;
  readonly timeouts: Timeouts;
  readonly checkOutput: OutputCheck;
  readonly storeContent: StoreContent;
  readonly onProgress: (progress: ToolProgress) => void;
  /**
   * A result did not match its tool's declaration: it is used anyway, and the server's user gets this
   * warning.
   */
  readonly onWarning: (warn: string) => void;
  readonly elicitations: ElicitationScope;
}

export interface Call {
  readonly definition: ToolDefinition;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

/** The client's own timeout cannot pause, so it gets the maximum delay of a timer. */
const NEVER_MS = 2 ** 31 - 1;

/** Makes one call in a running session. Returns every failure as a value. */
export async function callTool(deps: CallDeps, session: ServerSession, call: Call): Promise<Result<Json>> {
  const { signal } = call;
  const { uri } = call.definition;
  const { callMs, totalMs, pingMs } = deps.timeouts;
  if (signal.aborted) return err(appError('HOST', 'CANCELLED', 'The call was cancelled.', { tool: uri }));
  const late = new AbortController();
  const times = { quietMs: callMs, totalMs };
  const clock = startCallClock(times, () =>
    late.abort(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out')),
  );
  try {
    const made = { ...call, signal: AbortSignal.any([signal, late.signal]) };
    const result = await deps.elicitations.duringCall(clock.pause, () =>
      request(deps, session, made, clock.heard),
    );
    return received(deps, call.definition, result);
  } catch (error) {
    const end = session.end();
    const spot = { server: deps.server, tool: uri, end, cancelled: signal.aborted };
    const failed = callFailure(error, spot);
    // A server that ended during the call usually wrote the reason to its standard error.
    const ended = end !== null && !spot.cancelled;
    const failure = ended ? { ...failed, message: detailOf(failed, session) } : failed;
    if (failure.code === 'TIMEOUT') endIfDead(session, pingMs);
    return err(mayHaveExecuted(error) ? { ...failure, outcome: 'unknown' } : failure);
  } finally {
    clock.end();
  }
}

function request(
  { onProgress }: CallDeps,
  { client }: ServerSession,
  { definition, args, signal }: Call,
  heard: () => void,
): Promise<CallToolResult> {
  const { uri, tool } = definition;
  // Passed with the call so that the client compiles no schema of its own; Patina checks outputs itself.
  const toolDefinition = { name: tool, inputSchema: definition.inputSchema } as Tool;
  const onprogress = (update: ProgressParams): void => {
    heard();
    onProgress(toProgress(uri, update));
  };
  const options = { signal, timeout: NEVER_MS, onprogress, toolDefinition };
  return client.callTool({ name: tool, arguments: { ...args } }, options);
}

function received(deps: CallDeps, definition: ToolDefinition, result: CallToolResult): Result<Json> {
  const read = toolResult(definition.uri, result, deps.storeContent);
  if (!read.ok) return read;
  const { value, declared } = read.value;
  const problem = deps.checkOutput(definition, declared);
  if (problem !== null) deps.onWarning(problem);
  return ok(value);
}

interface ProgressParams {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

function toProgress(uri: string, { progress, total, message }: ProgressParams): ToolProgress {
  return {
    uri,
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message: stripControls(message).slice(0, 300) }),
  };
}

/**
 * A slow tool is its caller's concern; a server that does not even answer a ping is ended and restarts at its
 * next use.
 */
function endIfDead(session: ServerSession, timeout: number): void {
  // The stateless protocol has neither a ping nor a session that could hang.
  if (session.client.getProtocolEra() === 'modern') return;
  session.client.ping({ timeout }).catch(() => session.close());
}
