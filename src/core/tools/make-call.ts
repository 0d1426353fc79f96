import type { AppError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ToolDefinition } from '../ports/tool-definition';
import type { CallScope, CallToolDeps } from './call-scope';
import type { GateCall, GateContext } from './gate';
import { asRead, asWrite } from './unseen-end';

/** What a call that passed the gate is made with. */
export interface Making {
  readonly deps: CallToolDeps;
  readonly scope: CallScope;
  /** The gate's view at the moment the call was made. */
  readonly context: GateContext;
  readonly signal: AbortSignal;
}

/** How a call that passed came out; `cached`: nothing was called. */
export type Dispatched = { readonly result: Result<Json>; readonly cached?: boolean | undefined };

async function callServer(
  { deps, scope, context, signal }: Making,
  { tool, arguments: args }: GateCall,
): Promise<Result<Json>> {
  deps.rates.count(tool);
  const definition = context.tools.get(tool);
  const unwatch = deps.elicitations?.whileAsked(definition?.server ?? '', scope.onWaiting);
  const result = await deps.tools.call(tool, args, signal, definition?.hash);
  unwatch?.();
  if (result.ok) return result;
  await lookIfChanged(deps, definition, result.error);
  return err({ ...result.error, tool });
}

/** A tool was another one when it was reached: what it is now is pinned beside it, so that the change can be shown. */
async function lookIfChanged(
  { tools, pins }: CallToolDeps,
  definition: ToolDefinition | undefined,
  { code }: AppError,
): Promise<void> {
  if (code !== 'TOOL_CHANGED' || !definition) return;
  const listed = await tools.list([definition.server], 'live');
  if (listed.ok) pins?.hold(listed.value);
}

/** Of a read that may have reached its server it matters only that it gave nothing. */
async function read(making: Making, call: GateCall): Promise<Result<Json>> {
  const result = await callServer(making, call);
  return result.ok ? result : err(asRead(result.error));
}

export async function callToWrite(making: Making, call: GateCall): Promise<Dispatched> {
  making.deps.cache?.changing(making.context.tools.get(call.tool)?.server ?? '');
  const ended = making.scope.writes.began(call.hash);
  const made = await callServer(making, call);
  const result = made.ok ? made : err(asWrite(made.error));
  ended(result);
  return { result };
}

/** A read is not made when what an equal one gave is still good. */
export async function callToRead(making: Making, call: GateCall): Promise<Dispatched> {
  const { deps, scope, context } = making;
  const definition = context.tools.get(call.tool);
  if (!definition || !deps.cache || !scope.cache) return { result: await read(making, call) };
  const { hit, keep } = await deps.cache.look(definition, call.arguments, scope.cache.fresh);
  if (hit) {
    scope.cache.onHit();
    return { result: ok(hit.value), cached: true };
  }
  const result = await read(making, call);
  if (result.ok) keep(result.value);
  return { result };
}
