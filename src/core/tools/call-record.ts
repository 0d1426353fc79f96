import type { AppError } from '#shared/app-error';
import { attachmentsIn } from '#shared/attachment';
import type { Grant } from '#shared/grant';
import { isObject, type Json } from '#shared/json';
import { writeTarget } from '#shared/ledger';
import type { Result } from '#shared/result';
import { isUndoableTool, type PathState } from '#shared/undo';
import type { CallRecord } from '#shared/session-event';
import type { CallRecorder, CallScope } from './call-scope';
import type { ToolDefinition } from '../ports/tool-definition';
import { canonicalHash } from './canonical-hash';
import { isWrite, type GateContext } from './gate';

const previewLength = 600;

/** Truncates a text for display; the cut is marked with an ellipsis and never splits a surrogate pair. */
export function truncatePreview(text: string, length = previewLength): string {
  if (text.length <= length) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, length - 1)) ? length - 2 : length - 1;
  return `${text.slice(0, end)}…`;
}

/** Length of a text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
    if (unit >= 0xd800 && unit <= 0xdfff) bytes -= 1;
  }
  return bytes;
}

/** A finished call. */
export interface EndedCall {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly ms: number;
  /** The saved permission that allowed the call. */
  readonly allowedBy?: Grant | undefined;
  /** No call was made: the result came from the cache. */
  readonly cached?: boolean | undefined;
}

/** The record of a finished call. */
export function callRecord(call: EndedCall, result: Result<Json, AppError>): CallRecord {
  const { callId, tool, ms, allowedBy, cached } = call;
  const argumentsPreview = truncatePreview(JSON.stringify(call.arguments));
  const made = {
    callId,
    tool,
    argumentsPreview,
    ms,
    ...(allowedBy && { allowedBy }),
    ...(cached && { cached }),
  };
  if (!result.ok) {
    const { error } = result;
    return { ...made, outcome: error.outcome ?? 'failed', bytes: 0, error };
  }
  const text = typeof result.value === 'string' ? result.value : JSON.stringify(result.value);
  const attachments = attachmentsIn(result.value);
  return {
    ...made,
    outcome: 'done',
    bytes: utf8Length(text),
    preview: truncatePreview(text),
    ...(attachments.length > 0 && { attachments: [...attachments] }),
  };
}

/** Longer results of writes are not recorded; a resumed run reads null for them. */
const maxStoredResultBytes = 65_536;

function storedResult(result: Result<Json>, bytes: number): { readonly result?: Json } {
  return result.ok && bytes <= maxStoredResultBytes ? { result: result.value } : {};
}

/**
 * The record of a write that a gate layer refused; null when the write was made, failed or was cancelled
 * instead, or when the tool is unknown: then nothing could have been written.
 */
function refusalOf({ tools }: GateContext, tool: string, result: Result<Json>, args: Json) {
  if (result.ok || !tools.has(tool)) return null;
  const { kind, code, layer } = result.error;
  if (layer === undefined) return null;
  const hash = canonicalHash({ tool, arguments: args });
  return { tool, target: writeTarget(args), layer, code: `${kind}/${code}`, hash };
}

/** Whether the host's own servers answer a write of this tool with nothing but what was written. */
export const onlyConfirms = (tool: ToolDefinition | undefined): boolean =>
  tool !== undefined && isUndoableTool(tool) && tool.tool !== 'edit_file';

/**
 * Taints the node with this tool's origin, and remembers what the tool returned to recognise it in the
 * arguments of another server's tool. The text of an error counts as tool output.
 * The confirmation of a file write is not a source; `edit_file` returns text of the file.
 */
function noteSource(
  { origins, flows, nodeId }: CallRecorder,
  { tools }: GateContext,
  tool: string,
  result: Result<Json>,
): void {
  if (!result.ok && result.error.kind !== 'TOOL') return;
  if (result.ok && onlyConfirms(tools.get(tool))) return;
  origins.add({ source: tool, nodeId, trusted: tools.get(tool)?.trusted === true });
  flows?.onRead(tool, result.ok ? result.value : result.error.message);
}

/** Records an ended call of a server tool in its run, and what it means for the caller's budget and origins. */
export function recordOutcome(
  { recorder, budget }: CallScope,
  gate: GateContext,
  {
    tool,
    arguments: args,
    result,
    answered,
    after,
  }: Pick<EndedCall, 'tool' | 'arguments'> & {
    readonly result: Result<Json>;
    readonly answered?: true | undefined;
    readonly after?: readonly PathState[] | undefined;
  },
  call: CallRecord,
): void {
  if (!recorder) return;
  const { turn, runId, nodeId, facts, writes } = recorder;
  const write = isWrite({ tool, arguments: isObject(args) ? args : {} }, gate);
  const fact = { type: 'tool-called' as const, turn, runId, nodeId, call };
  const refusal = write ? refusalOf(gate, tool, result, args) : null;
  if (refusal) {
    const { callId } = call;
    const refused = { turn, runId, nodeId, callId, ...refusal, ...(answered && { answered }) };
    facts.record([fact, { type: 'write-refused', ...refused }]);
    writes.refused();
  } else if (write)
    facts.record([{ ...fact, ...storedResult(result, call.bytes), ...(after && { after: [...after] }) }]);
  else facts.add(fact);
  noteSource(recorder, gate, tool, result);
  if (!result.ok && result.error.kind === 'BUDGET') budget?.onBreach(result.error);
}
