import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { assertNever } from '#shared/result';
import { piecesOf, type ScriptedFault, type ScriptedReply, type ScriptedToolCall } from './scripted-reply';

/** What writing a reply needs: the socket, the gate for pieces, and whether the client is gone. */
export interface ReplyWriter {
  readonly response: ServerResponse;
  readonly model: string;
  readonly includeUsage: boolean;
  /** Resolves when one more gated piece may be sent. */
  readonly gate: () => Promise<void>;
  readonly gone: AbortSignal;
}

const created = 1_700_000_000;

/**
 * Writes a whole reply as server-sent events, faults included; resolves when there is nothing more to send.
 */
export async function writeStream(reply: ScriptedReply, writer: ReplyWriter): Promise<void> {
  const { response } = writer;
  const { fault } = reply;
  if (fault?.type === 'hang' && fault.beforeHeaders === true) return;
  if (fault?.type === 'drop' && fault.after === undefined) {
    response.destroy();
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  await send(writer, chunk(writer, { role: 'assistant', content: '' }));
  await writePieces(piecesBefore(fault, piecesOf(reply.text)), reply, writer);
  if (writer.gone.aborted) return;
  if (fault !== undefined) return writeFault(fault, writer);
  await writeToolCalls(reply.toolCalls ?? [], writer);
  await writeEnd(reply, writer);
}

function piecesBefore(fault: ScriptedFault | undefined, pieces: readonly string[]): readonly string[] {
  if (fault === undefined) return pieces;
  return 'after' in fault ? pieces.slice(0, fault.after ?? 0) : [];
}

async function writePieces(
  pieces: readonly string[],
  reply: ScriptedReply,
  writer: ReplyWriter,
): Promise<void> {
  const start = performance.now();
  for (const [index, piece] of pieces.entries()) {
    if (reply.gated === true) await writer.gate();
    if (reply.tokensPerSecond !== undefined) {
      // Relative to the start, so that late timers do not add up.
      const due = start + (index * 1000) / reply.tokensPerSecond;
      const wait = due - performance.now();
      if (wait > 1) await delay(wait);
    }
    if (writer.gone.aborted) return;
    await send(writer, chunk(writer, { content: piece }));
  }
}

/** Sends arguments in two parts, because real servers split them anywhere. */
async function writeToolCalls(calls: readonly ScriptedToolCall[], writer: ReplyWriter): Promise<void> {
  for (const [index, call] of calls.entries()) {
    const text = argumentsText(call);
    const middle = Math.ceil(text.length / 2);
    const head = { name: call.name, arguments: text.slice(0, middle) };
    const first = { index, id: callId(call, index), type: 'function', function: head };
    await send(writer, chunk(writer, { tool_calls: [first] }));
    await send(
      writer,
      chunk(writer, { tool_calls: [{ index, function: { arguments: text.slice(middle) } }] }),
    );
  }
}

async function writeEnd(reply: ScriptedReply, writer: ReplyWriter): Promise<void> {
  await send(writer, chunk(writer, {}, finishReason(reply)));
  if (writer.includeUsage && reply.usage !== null) {
    await send(writer, JSON.stringify({ ...envelope(writer), choices: [], usage: usageOf(reply) }));
  }
  writer.response.end('data: [DONE]\n\n');
}

async function writeFault(fault: ScriptedFault, writer: ReplyWriter): Promise<void> {
  const { response } = writer;
  switch (fault.type) {
    case 'drop':
      // Flush the sent data before the socket closes.
      await new Promise((resolve) => response.write(':\n', resolve));
      response.destroy();
      return;
    case 'garbage':
      return lastData(fault.line, writer);
    case 'stream-error':
      return lastData(JSON.stringify({ error: fault.error }), writer);
    case 'endless-line':
    case 'endless-text':
      return writeForever(fault.type, writer);
    case 'cut':
      return void response.end();
    case 'hang':
    case 'status':
    case 'body':
      return;
    default:
      assertNever(fault);
  }
}

const brokenJson = '{"choices":[{"delta":{"content":';

async function lastData(data: string | undefined, writer: ReplyWriter): Promise<void> {
  await send(writer, data ?? brokenJson);
  writer.response.end();
}

async function writeForever(what: 'endless-line' | 'endless-text', writer: ReplyWriter): Promise<void> {
  const piece = `data: ${chunk(writer, { content: 'word '.repeat(200) })}\n\n`;
  const text = what === 'endless-line' ? 'x'.repeat(65_536) : piece.repeat(64);
  if (what === 'endless-line') writer.response.write('data: {"choices":[{"delta":{"content":"');
  while (!writer.gone.aborted) {
    if (!writer.response.write(text)) await drained(writer);
  }
}

async function drained(writer: ReplyWriter): Promise<void> {
  await once(writer.response, 'drain', { signal: writer.gone }).catch(() => undefined);
}

async function send(writer: ReplyWriter, data: string): Promise<void> {
  if (writer.gone.aborted) return;
  if (!writer.response.write(`data: ${data}\n\n`)) await drained(writer);
}

const envelope = (writer: Pick<ReplyWriter, 'model'>) => ({
  id: 'chatcmpl-scripted',
  object: 'chat.completion.chunk',
  created,
  model: writer.model,
});

function chunk(writer: ReplyWriter, delta: object, finish: string | null = null): string {
  return JSON.stringify({ ...envelope(writer), choices: [{ index: 0, delta, finish_reason: finish }] });
}

const callId = (call: ScriptedToolCall, index: number): string => call.id ?? `call_scripted_${index}`;

function argumentsText(call: ScriptedToolCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
}

function finishReason(reply: ScriptedReply): string {
  return reply.finishReason ?? ((reply.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop');
}

function usageOf(reply: ScriptedReply): object {
  const usage = reply.usage ?? { inputTokens: 10, outputTokens: piecesOf(reply.text).length };
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

/** The same reply as one JSON document, for requests that did not ask for a stream. */
export function completionOf(reply: ScriptedReply, model: string): object {
  const toolCalls = (reply.toolCalls ?? []).map((call, index) => ({
    id: callId(call, index),
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call) },
  }));
  const content = piecesOf(reply.text).join('');
  const message = {
    role: 'assistant',
    content: content === '' && toolCalls.length > 0 ? null : content,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
    ...(reply.usage === null ? {} : { usage: usageOf(reply) }),
  };
}
