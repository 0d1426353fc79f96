import { constants, setPriority } from 'node:os';
import type { Engine } from './engine';
import type { FromModelProcess, ToModelProcess } from './messages';

/**
 * Entry of the process of a local model: it loads one file, writes one reply at a time, and is killed. It talks over
 * the port of a utility process or the channel of a child process.
 */
const post = (message: FromModelProcess): void => {
  if (process.send) process.send(message);
  else process.parentPort.postMessage(message);
};

let engine: Promise<Engine | null> = Promise.resolve(null);
let current: { readonly id: number; readonly stop: AbortController } | null = null;

async function load(message: Extract<ToModelProcess, { type: 'load' }>): Promise<Engine | null> {
  const { loadEngine, loadFailure } = await import('./engine');
  try {
    const loaded = await loadEngine(message);
    post({ type: 'loaded' });
    return loaded;
  } catch (thrown) {
    post(loadFailure(thrown));
    return null;
  }
}

async function receive(message: ToModelProcess): Promise<void> {
  switch (message.type) {
    case 'load':
      engine = load(message);
      return;
    case 'stop':
      if (current?.id === message.id) current.stop.abort();
      return;
    case 'reply': {
      current = { id: message.id, stop: new AbortController() };
      const { signal } = current.stop;
      await (await engine)?.reply(message, signal, post);
    }
  }
}

try {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // Without the lower priority it competes like any other process.
}
if (process.send) {
  process.on('message', (message: ToModelProcess) => void receive(message));
  // The library would abort with a message if the process ended in an orderly way while it computes.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
} else {
  process.parentPort.on('message', ({ data }: { readonly data: ToModelProcess }) => void receive(data));
}
