import type { Socket } from 'node:net';
import { createLineSplitter } from '../mcp/line-splitter';

/** Why no line was read. */
export type NoLine = 'too-long' | 'closed' | 'silent';

/**
 * Reads the first line from a socket, up to `maxBytes` long and with at most `silenceMs` of silence. Never
 * rejects, and leaves the socket open.
 */
export function readLine(
  socket: Socket,
  { maxBytes, silenceMs }: { readonly maxBytes: number; readonly silenceMs: number },
): Promise<{ readonly line: string } | { readonly line: null; readonly why: NoLine }> {
  return new Promise((settle) => {
    const take = createLineSplitter(
      maxBytes,
      (line) => settle({ line }),
      () => settle({ line: null, why: 'too-long' }),
    );
    socket.setTimeout(silenceMs, () => settle({ line: null, why: 'silent' }));
    socket.on('data', take);
    socket.on('error', () => settle({ line: null, why: 'closed' }));
    socket.on('close', () => settle({ line: null, why: 'closed' }));
  });
}
