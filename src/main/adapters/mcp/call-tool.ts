import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ToolDefinition } from '../../ports/tool-definition';
import type { ToolProgress } from '../../ports/tools';
import { callFailure } from './call-failure';
import type { OutputCheck } from './output-check';
import type { ServerSession, Timeouts } from './server-session';
import { stripControls } from './text-tail';
import { toolResult, type KeepContent } from './tool-result';

export interface CallDeps {
  readonly server: string;
  readonly timeouts: Timeouts;
  readonly checkOutput: OutputCheck;
  readonly keep: KeepContent;
  readonly onProgress: (progress: ToolProgress) => void;
  /** A result was not what its tool declares: it is used all the same, and the user of the server is told. */
  readonly onRemark: (remark: string) => void;
}

export interface Call {
  readonly definition: ToolDefinition;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

/** A tool that reports progress is given this many times its usual time. */
const PATIENCE = 6;

/** One call in a running session. Everything that can go wrong with it is a value. */
export async function callTool(deps: CallDeps, session: ServerSession, call: Call): Promise<Result<Json>> {
  const { definition, args, signal } = call;
  const { uri, tool } = definition;
  const { callMs, pingMs } = deps.timeouts;
  // Given with the call, so that the client compiles no schema of its own; outputs are checked here.
  const toolDefinition = { name: tool, inputSchema: definition.inputSchema } as Tool;
  const onprogress = (said: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }): void => deps.onProgress(toProgress(uri, said));
  try {
    const times = { timeout: callMs, maxTotalTimeout: callMs * PATIENCE, resetTimeoutOnProgress: true };
    const options = { signal, ...times, onprogress, toolDefinition };
    const result = await session.client.callTool({ name: tool, arguments: { ...args } }, options);
    return received(deps, definition, result);
  } catch (error) {
    const end = session.end();
    const failure = callFailure(error, { server: deps.server, tool: uri, end, cancelled: signal.aborted });
    if (failure.code === 'TIMEOUT') endIfDead(session, pingMs);
    return err(failure);
  }
}

function received(deps: CallDeps, definition: ToolDefinition, result: CallToolResult): Result<Json> {
  const value = toolResult(definition.uri, result, deps.keep);
  if (!value.ok) return value;
  const problem = deps.checkOutput(definition, value.value);
  if (problem !== null) deps.onRemark(problem);
  return ok(value.value);
}

function toProgress(
  uri: string,
  {
    progress,
    total,
    message,
  }: { progress: number; total?: number | undefined; message?: string | undefined },
): ToolProgress {
  return {
    uri,
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message: stripControls(message).slice(0, 300) }),
  };
}

/** A slow tool is its caller's matter; a server that does not even answer a ping is ended, and started again at its next use. */
function endIfDead(session: ServerSession, timeout: number): void {
  // The stateless protocol has no ping, and no session that could hang.
  if (session.client.getProtocolEra() === 'modern') return;
  session.client.ping({ timeout }).catch(() => session.close());
}
