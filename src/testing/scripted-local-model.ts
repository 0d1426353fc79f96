import type { StartLocalModel, ToModelProcess } from '../main/adapters/local-model/messages';

type ReplyMessage = Extract<ToModelProcess, { type: 'reply' }>;

interface ScriptedLocalModel {
  readonly start: StartLocalModel;
  /** What the process was asked, oldest first. */
  readonly asked: readonly ReplyMessage[];
  /** How many replies were stopped while they were written. */
  readonly stopped: () => number;
}

/**
 * A process of a local model that speaks its protocol and answers from a script; `null` writes until it is stopped.
 * A reply under a grammar and one in words are scripted alike.
 */
export function createScriptedLocalModel(answer: (asked: ReplyMessage) => string | null): ScriptedLocalModel {
  const asked: ReplyMessage[] = [];
  let stopped = 0;
  const start: StartLocalModel = () => {
    let post = (_message: unknown): void => undefined;
    let exit = (): void => undefined;
    const end = (id: number, reason: 'complete' | 'stopped'): void =>
      post({ type: 'end', id, inputTokens: 10, cachedTokens: 0, outputTokens: 5, reason });
    const receive = (message: ToModelProcess): void => {
      if (message.type === 'load') return post({ type: 'loaded' });
      if (message.type === 'stop') {
        stopped += 1;
        return end(message.id, 'stopped');
      }
      asked.push(message);
      const text = answer(message);
      post({ type: 'text', id: message.id, text: text ?? 'Still ' });
      if (text !== null) end(message.id, 'complete');
    };
    return {
      send: (message) => queueMicrotask(() => receive(message)),
      onMessage: (listener) => void (post = listener),
      onExit: (listener) => void (exit = listener),
      kill: () => {
        queueMicrotask(exit);
        exit = () => undefined;
      },
    };
  };
  return { start, asked, stopped: () => stopped };
}
