import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { assertNever } from '#shared/result';
import { piecesOf, type ScriptedFault, type ScriptedReply } from './scripted-reply';
import type { ScriptedWire, WireScene } from './scripted-wires';

/** What writing a reply needs: the socket, the gate for pieces, and whether the client is gone. */
export interface ReplyWriter extends WireScene {
  readonly response: ServerResponse;
  readonly wire: ScriptedWire;
  /** Resolves when one more gated piece may be sent. */
  readonly gate: () => Promise<void>;
  /** Called for each gated piece of text that is written. */
  readonly wrote: () => void;
  readonly gone: AbortSignal;
}

/**
 * Writes a whole reply as server-sent events, faults included; resolves when there is nothing more to send.
 */
export async function writeStream(reply: ScriptedReply, writer: ReplyWriter): Promise<void> {
  const { response, wire } = writer;
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
  await sendAll(writer, wire.begin(reply, writer));
  await sendAll(writer, wire.thinking(reply, writer), reply.gated);
  await sendAll(writer, wire.beforeText(reply, writer));
  await writePieces(piecesBefore(fault, piecesOf(reply.text)), reply, writer);
  if (writer.gone.aborted) return;
  if (fault !== undefined) return writeFault(fault, reply, writer);
  await sendAll(writer, wire.end(reply, writer));
  if (wire.last !== undefined) await send(writer, wire.last);
  response.end();
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
    await sendEvent(writer, writer.wire.piece(piece, reply, writer));
    if (reply.gated === true) writer.wrote();
  }
}

async function writeFault(fault: ScriptedFault, reply: ScriptedReply, writer: ReplyWriter): Promise<void> {
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
      return lastData(JSON.stringify(writer.wire.error(fault.error)), writer);
    case 'endless-line':
    case 'endless-text':
      return writeForever(fault.type, reply, writer);
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

async function writeForever(
  what: 'endless-line' | 'endless-text',
  reply: ScriptedReply,
  writer: ReplyWriter,
): Promise<void> {
  const piece = `data: ${JSON.stringify(writer.wire.piece('word '.repeat(200), reply, writer))}\n\n`;
  const text = what === 'endless-line' ? 'x'.repeat(65_536) : piece.repeat(64);
  if (what === 'endless-line') writer.response.write('data: {"choices":[{"delta":{"content":"');
  while (!writer.gone.aborted) {
    if (!writer.response.write(text)) await drained(writer);
  }
}

async function drained(writer: ReplyWriter): Promise<void> {
  await once(writer.response, 'drain', { signal: writer.gone }).catch(() => undefined);
}

async function sendAll(writer: ReplyWriter, events: readonly object[], gated = false): Promise<void> {
  for (const event of events) {
    if (gated) await writer.gate();
    await sendEvent(writer, event);
  }
}

/** Some protocols name the event beside its data. */
async function sendEvent(writer: ReplyWriter, event: object): Promise<void> {
  if (writer.gone.aborted) return;
  if ('type' in event) writer.response.write(`event: ${String(event.type)}\n`);
  await send(writer, JSON.stringify(event));
}

async function send(writer: ReplyWriter, data: string): Promise<void> {
  if (writer.gone.aborted) return;
  if (!writer.response.write(`data: ${data}\n\n`)) await drained(writer);
}
