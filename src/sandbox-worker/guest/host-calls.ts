import type { GuestErrors } from './guest-errors';

/** The only route out of the guest: the kind of message and JSON text. */
export type Emit = (what: 'call' | 'log' | 'done' | 'fail', text: string) => void;

export interface HostCalls {
  /**
   * Sends `{op, call, …}` and returns the promise that `completeCall` will complete; `fields` is text with JSON
   * members.
   */
  begin(fields: string, tool?: string): Promise<unknown>;
  /** Called by the host with a result, or with the `{kind, code, message}` of a failure, as JSON text. */
  completeCall(call: number, ok: boolean, json: string): void;
}

/** Runs inside the guest as text, so it must not close over anything. */
export function createHostCalls(emit: Emit, errors: GuestErrors): HostCalls {
  interface Waiting {
    readonly resolve: (value: unknown) => void;
    readonly reject: (error: Error) => void;
    /** Created at the time of the call, so that its stack contains the line of the calling script. */
    readonly error: Error;
    readonly tool: string | undefined;
  }
  const waiting = new Map<number, Waiting>();
  let calls = 0;
  return {
    begin(fields, tool) {
      calls += 1;
      const call = calls;
      const error = new Error();
      return new Promise((resolve, reject) => {
        waiting.set(call, { resolve, reject, error, tool });
        emit('call', `{"call":${call},${fields}}`);
      });
    },
    completeCall(call, ok, json) {
      const entry = waiting.get(call);
      if (entry === undefined) return;
      waiting.delete(call);
      const value: unknown = JSON.parse(json);
      if (ok) return entry.resolve(value);
      const { kind, code, message } = value as { kind: string; code: string; message: string };
      const tool = entry.tool === undefined ? {} : { tool: entry.tool };
      entry.reject(errors.typedError({ kind, code, call, ...tool }, message, entry.error));
    },
  };
}
