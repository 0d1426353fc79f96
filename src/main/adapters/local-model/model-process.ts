import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
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

/** What the library's test of a native file says, in order: each message of the library gets the next one. */
const testReplies: Readonly<Record<string, string>> = { start: 'loaded', test: 'done' };

/**
 * Lets the library load its native file here without a test in a second process. This process ends alone if the file
 * does not suit the computer, and the installed app cannot run as Node, which the test needs.
 */
function skipTestProcess(): void {
  const fork = () => {
    const test = Object.assign(new EventEmitter(), { exitCode: null as number | null, kill: () => true });
    const send = ({ type }: { readonly type: string }): void => {
      const reply = testReplies[type];
      if (reply !== undefined) return void setImmediate(() => test.emit('message', { type: reply }));
      test.exitCode = 0;
      setImmediate(() => test.emit('exit', 0));
    };
    setImmediate(() => test.emit('message', { type: 'ready' }));
    return Object.assign(test, { send });
  };
  Object.assign(childProcess, { fork });
  syncBuiltinESMExports();
}

async function load(message: Extract<ToModelProcess, { type: 'load' }>): Promise<Engine | null> {
  skipTestProcess();
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
