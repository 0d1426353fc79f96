import type { AppError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ToolDefinition } from '../ports/tool-definition';
import type { CallScope, CallToolDeps } from './call-scope';
import type { GateCall, GateContext } from './gate';
import { toReadError, toWriteError } from './unknown-outcome';

/** The context for dispatching a call that passed the gate. */
export interface DispatchContext {
  readonly deps: CallToolDeps;
  readonly scope: CallScope;
  /** The gate's view when the call was made. */
  readonly context: GateContext;
  readonly signal: AbortSignal;
}

/** The result of a dispatched call; `cached`: no call was made. */
export type DispatchResult = { readonly result: Result<Json>; readonly cached?: boolean | undefined };

async function callTool(
  { deps, scope, context, signal }: DispatchContext,
  { tool, arguments: args }: GateCall,
): Promise<Result<Json>> {
  deps.rates.count(tool);
  const definition = context.tools.get(tool);
  const unwatch = deps.elicitations?.watchWaiting(definition?.server ?? '', scope.onWaiting);
  const result = await deps.tools.call(tool, args, signal, definition?.hash);
  unwatch?.();
  if (result.ok) return result;
  await refreshPinOnChange(deps, definition, result.error);
  return err({ ...result.error, tool });
}

/** The definition changed before the call: stores the new one beside the pinned one to show the diff. */
async function refreshPinOnChange(
  { tools, pins }: CallToolDeps,
  definition: ToolDefinition | undefined,
  { code }: AppError,
): Promise<void> {
  if (code !== 'TOOL_CHANGED' || !definition) return;
  const listed = await tools.list([definition.server], 'live');
  if (listed.ok) pins?.enforce(listed.value);
}

/** A failed read changed nothing, so an unknown outcome counts as a plain failure. */
async function callForRead(dispatchContext: DispatchContext, call: GateCall): Promise<Result<Json>> {
  const result = await callTool(dispatchContext, call);
  return result.ok ? result : err(toReadError(result.error));
}

export async function dispatchWrite(
  dispatchContext: DispatchContext,
  call: GateCall,
): Promise<DispatchResult> {
  dispatchContext.deps.cache?.invalidate(dispatchContext.context.tools.get(call.tool)?.server ?? '');
  const recordEnd = dispatchContext.scope.writes.started(call.hash);
  const called = await callTool(dispatchContext, call);
  const result = called.ok ? called : err(toWriteError(called.error));
  recordEnd(result);
  return { result };
}

/** Answers a read from the cache while an equal read's result is still valid. */
export async function dispatchRead(
  dispatchContext: DispatchContext,
  call: GateCall,
): Promise<DispatchResult> {
  const { deps, scope, context } = dispatchContext;
  const definition = context.tools.get(call.tool);
  if (!definition || !deps.cache || !scope.cache) return { result: await callForRead(dispatchContext, call) };
  const { hit, store } = await deps.cache.lookUp(definition, call.arguments, scope.cache.fresh);
  if (hit) {
    scope.cache.onHit();
    return { result: ok(hit.value), cached: true };
  }
  const result = await callForRead(dispatchContext, call);
  if (result.ok) store(result.value);
  return { result };
}
