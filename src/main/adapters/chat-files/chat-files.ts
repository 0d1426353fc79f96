import { Worker } from 'node:worker_threads';
import { appError } from '#shared/app-error';
import { err, type Result } from '#shared/result';
import type { ChatFileSummary, ReadChat, ReadChatFile } from '../../../core/ports/chat-files';

/** What the reading thread sends; it waits for an answer after each conversation. */
export type ChatFileMessage = { readonly chat: ReadChat } | { readonly result: Result<ChatFileSummary> };

const ended = (path: string, reason: string): Result<never> =>
  err(appError('HOST', 'STORAGE', `${path} could not be read: ${reason}.`));

/** Memory of the reading thread, in MB: a file of the maximum size, parsed. */
const maxHeapMb = 4_096;

/** Reads files of conversations in a thread; `bundle` is the built `chat-file-worker.js`. */
export const createChatFileReader =
  (bundle: string): ReadChatFile =>
  (path, onChat) =>
    new Promise((resolve) => {
      const worker = new Worker(bundle, {
        workerData: path,
        env: {},
        resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      });
      worker.on('message', (message: ChatFileMessage) => {
        if ('result' in message) return resolve(message.result);
        onChat(message.chat);
        worker.postMessage('next');
      });
      worker.once('error', (error) => resolve(ended(path, error.message)));
      worker.once('exit', () => resolve(ended(path, 'its reader ended early')));
    });
