import { mostOtherCalls } from '#shared/sandbox-protocol';
import type { HostCall } from '#shared/sandbox-protocol';

/** Calls a script has made: what is under way, and what waits its turn inside the worker. */
export interface HostCallsQueue {
  /** False when the unit's number of tool calls is used up. */
  add(call: HostCall): boolean;
  /** Those that may go now. */
  take(): HostCall[];
  settled(call: number): void;
  /** Calls that have not been answered, sent or not. */
  open(): number;
}

export function createHostCallsQueue(limits: {
  readonly toolCalls: number;
  readonly callsAtOnce: number;
}): HostCallsQueue {
  const queued: HostCall[] = [];
  const underWay = new Set<number>();
  let tools = 0;
  let others = 0;
  return {
    add(call) {
      if (call.op === 'tool') tools += 1;
      else others += 1;
      if (tools > limits.toolCalls || others > mostOtherCalls(limits)) return false;
      queued.push(call);
      return true;
    },
    take() {
      const going = queued.splice(0, limits.callsAtOnce - underWay.size);
      for (const { call } of going) underWay.add(call);
      return going;
    },
    settled: (call) => void underWay.delete(call),
    open: () => queued.length + underWay.size,
  };
}
