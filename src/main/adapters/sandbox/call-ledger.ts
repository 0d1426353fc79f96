import { mostOtherCalls } from '#shared/sandbox-protocol';
import type { HostCall, RunMessage } from '#shared/sandbox-protocol';

/** Which calls of a unit are under way, and whether another may be. */
export interface CallLedger {
  /** Enters a call; says what is wrong with one that a worker keeping the protocol could not have sent. */
  open(asked: HostCall): string | undefined;
  close(call: number): void;
  underWay(): number;
  toolCalls(): number;
}

export function createCallLedger({ limits, tools }: RunMessage): CallLedger {
  const allowed = new Set(tools.map(({ uri }) => uri));
  const underWay = new Set<number>();
  let lastCall = 0;
  let toolCalls = 0;
  let otherCalls = 0;

  const wrongTool = (tool: string): string | undefined => {
    if (!allowed.has(tool)) return 'a call of a tool the unit does not have';
    return toolCalls >= limits.toolCalls ? 'more tool calls than the unit may make' : undefined;
  };
  const wrongOther = (): string | undefined =>
    otherCalls >= mostOtherCalls(limits) ? 'more artifacts than the unit may touch' : undefined;
  return {
    open(asked) {
      if (underWay.size >= limits.callsAtOnce) return 'too many calls at once';
      if (asked.call <= lastCall) return 'a call number used twice';
      const wrong = asked.op === 'tool' ? wrongTool(asked.tool) : wrongOther();
      if (wrong !== undefined) return wrong;
      lastCall = asked.call;
      if (asked.op === 'tool') toolCalls += 1;
      else otherCalls += 1;
      underWay.add(asked.call);
      return undefined;
    },
    close: (call) => void underWay.delete(call),
    underWay: () => underWay.size,
    toolCalls: () => toolCalls,
  };
}
