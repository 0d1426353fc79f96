import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { readChatFile } from './read-chat-file';
import type { ChatFileMessage } from './chat-files';

/** Reads one file in a thread of its own; each conversation waits until main has taken the one before. */
const port = parentPort;
if (port) {
  const post = (message: ChatFileMessage): void => port.postMessage(message);
  const result = await readChatFile(String(workerData), async (chat) => {
    const taken = once(port, 'message');
    post({ chat });
    await taken;
  });
  post({ result });
  port.close();
}
