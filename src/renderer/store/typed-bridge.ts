import type { Bridge } from '#shared/ipc';
import { err } from '#shared/result';

/** Calls whose values cannot cross: Electron refuses more than 1,000 levels before anything of Patina sees them. */
const notSent = (name: string) =>
  err({
    kind: 'HOST' as const,
    code: 'INVALID_INPUT' as const,
    message: `${name}: the input could not be sent to the app.`,
    hint: 'Use a value with fewer nested levels, of text, numbers, lists and objects only.',
    retryable: false,
  });

/** The bridge with every failure as a value, also one of the bridge itself. */
export function typedBridge({ invoke, onPush }: Bridge): Bridge {
  return {
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
