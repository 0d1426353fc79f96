import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

/** The DevTools protocol over the two pipes of `--remote-debugging-pipe`: no port, no driver inside the process. */
export interface DevtoolsPipe {
  call(method: string, params: object, sessionId?: string): Promise<Record<string, unknown>>;
  on(method: string, listener: (params: Record<string, unknown>, sessionId?: string) => void): void;
}

export function createDevtoolsPipe(child: ChildProcess): DevtoolsPipe {
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Map<string, (params: Record<string, unknown>, sessionId?: string) => void>();
  let next = 0;
  let rest = '';
  const receive = (message: Message): void => {
    if (message.id !== undefined) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
    if (message.method !== undefined)
      listeners.get(message.method)?.(message.params ?? {}, message.sessionId);
  };
  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) receive(JSON.parse(part) as Message);
  });
  return {
    call: (method, params, sessionId) =>
      new Promise((resolve, reject) => {
        const id = (next += 1);
        waiting.set(id, ({ result, error }) => {
          if (error) reject(new Error(`${method}: ${error.message}`));
          else resolve(result ?? {});
        });
        input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
      }),
    on: (method, listener) => void listeners.set(method, listener),
  };
}
