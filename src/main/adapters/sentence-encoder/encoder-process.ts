import { constants, setPriority } from 'node:os';
import type { Encoder } from './encoder';
import type { FromEncoderProcess, ToEncoderProcess } from './messages';

/**
 * Entry of the process that compares sentences: it loads the model for the first comparison, and is killed. It talks
 * over the port of a utility process or the channel of a child process.
 */
const post = (message: FromEncoderProcess): void => {
  if (process.send) process.send(message);
  else process.parentPort.postMessage(message);
};

let encoder: Promise<Encoder> | null = null;

async function receive(message: ToEncoderProcess): Promise<void> {
  const { id } = message;
  try {
    encoder ??= import('./encoder').then(({ loadEncoder }) => loadEncoder());
    post({ id, closeness: [...(await (await encoder).compare(message))] });
  } catch (thrown) {
    post({ id, failed: thrown instanceof Error ? thrown.message : String(thrown) });
  }
}

try {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // Without the lower priority it competes like any other process.
}
if (process.send) {
  process.on('message', (message: ToEncoderProcess) => void receive(message));
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
} else {
  process.parentPort.on('message', ({ data }: { readonly data: ToEncoderProcess }) => void receive(data));
}
