import type { Bridge } from '#shared/ipc';
import { err } from '#shared/result';
import { text } from '../locales/text';

/**
 * The error for a call whose values cannot cross IPC: Electron refuses more than 1,000 nesting levels before
 * any Patina code sees them.
 */
const notSent = (name: string) =>
  err({
    kind: 'HOST' as const,
    code: 'INVALID_INPUT' as const,
    message: text('store.error.notSent', { call: name }),
    hint: text('store.error.notSentHint'),
    retryable: false,
  });

/** Wraps the bridge so that every failure is a value, including failures of the bridge itself. */
export function typedBridge({ invoke, onPush, pathOf }: Bridge): Bridge {
  return {
    pathOf,
    onPush,
    invoke: async (name, input) => {
      try {
        return await invoke(name, input);
      } catch {
        return notSent(name);
      }
    },
  };
}
