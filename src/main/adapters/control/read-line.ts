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
  return new Promise((resolve) => {
    const take = createLineSplitter(
      maxBytes,
      (line) => resolve({ line }),
      () => resolve({ line: null, why: 'too-long' }),
    );
    socket.setTimeout(silenceMs, () => resolve({ line: null, why: 'silent' }));
    socket.on('data', take);
    socket.on('error', () => resolve({ line: null, why: 'closed' }));
    socket.on('close', () => resolve({ line: null, why: 'closed' }));
  });
}
