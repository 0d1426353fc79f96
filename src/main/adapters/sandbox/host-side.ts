import { appError } from '#shared/app-error';
import type { AppError } from '#shared/app-error';
import type { Artifact } from '#shared/execution';
import { Json } from '#shared/json';
import { assertNever, err, ok } from '#shared/result';
import type { Result } from '#shared/result';
import { MESSAGE_CHARS } from '#shared/sandbox-protocol';
import type { HostCall, RunMessage, ToWorker } from '#shared/sandbox-protocol';
import type { ArtifactStore, CallTool } from '../../ports/sandbox';
import { readSlice } from './artifact-slice';
import { parseGuestJson } from './guest-json';

type Settle = Extract<ToWorker, { type: 'settle' }>;

export interface HostSideParts {
  readonly message: RunMessage;
  readonly callTool: CallTool;
  readonly artifacts: ArtifactStore;
  readonly reply: (settle: Settle) => void;
}

/** Main's half of one unit: does what the script asks for, within what the unit may ask. */
export interface HostSide {
  /** Starts the calls; says what is wrong with them when a worker that keeps the protocol could not have sent them. */
  begin(calls: readonly HostCall[]): string | undefined;
  open(): number;
  /** The error a call ended with, for a script that let it through. */
  errorOf(call: number): AppError | undefined;
  toolCalls(): number;
  written(): readonly Artifact[];
  /** Calls off what is under way; nothing is replied any more. */
  close(): void;
}

export function createHostSide({ message, callTool, artifacts, reply }: HostSideParts): HostSide {
  const { limits } = message;
  const allowed = new Set(message.tools.map(({ uri }) => uri));
  const abort = new AbortController();
  const underWay = new Set<number>();
  const errors = new Map<number, AppError>();
  const written: Artifact[] = [];
  let lastCall = 0;
  let toolCalls = 0;

  const settle = (call: number, result: Result<Json>): void => {
    if (abort.signal.aborted) return;
    underWay.delete(call);
    const fitting = fit(result);
    if (!fitting.ok) errors.set(call, fitting.error);
    const json = fitting.ok ? fitting.value : JSON.stringify(seenByScript(fitting.error));
    reply({ type: 'settle', run: message.run, call, ok: fitting.ok, json });
  };
  const write = ({ name, type, content }: Extract<HostCall, { op: 'write' }>): Result<Json> => {
    const put = artifacts.put(name, type, content);
    if (!put.ok) return put;
    const artifact = { type, handle: put.value.handle, bytes: put.value.bytes, name };
    written.push(artifact);
    return ok(artifact);
  };
  const perform = async (asked: HostCall): Promise<Result<Json>> => {
    switch (asked.op) {
      case 'tool': {
        const args = parseGuestJson(asked.json);
        return args.ok ? callTool(asked.tool, args.value, abort.signal) : args;
      }
      case 'write':
        return write(asked);
      case 'read': {
        const found = artifacts.get(asked.handle);
        return found.ok ? ok(readSlice(found.value, asked)) : found;
      }
      default:
        assertNever(asked);
    }
  };
  /** What is wrong with a call, if anything. */
  const misfit = (asked: HostCall): string | undefined => {
    if (asked.call <= lastCall) return 'a call number used twice';
    if (asked.op !== 'tool') return undefined;
    if (!allowed.has(asked.tool)) return 'a call of a tool the unit does not have';
    return toolCalls >= limits.toolCalls ? 'more tool calls than the unit may make' : undefined;
  };
  return {
    begin(calls) {
      for (const asked of calls) {
        const wrong = underWay.size >= limits.callsAtOnce ? 'too many calls at once' : misfit(asked);
        if (wrong !== undefined) return wrong;
        lastCall = asked.call;
        if (asked.op === 'tool') toolCalls += 1;
        underWay.add(asked.call);
        const broken = (): Result<Json> => err(appError('TOOL', 'FAILED', 'the call broke off'));
        void perform(asked)
          .catch(broken)
          .then((result) => settle(asked.call, result));
      }
      return undefined;
    },
    open: () => underWay.size,
    errorOf: (call) => errors.get(call),
    toolCalls: () => toolCalls,
    written: () => written,
    close: () => abort.abort(),
  };
}

/** The result as the text that crosses, or TOOL/INVALID_OUTPUT when it would not fit in one message. */
function fit(result: Result<Json>): Result<string> {
  if (!result.ok) return result;
  const json = JSON.stringify(result.value);
  if (json.length <= MESSAGE_CHARS) return ok(json);
  const message = `the result has ${json.length} characters; a script can be given at most ${MESSAGE_CHARS}`;
  return err(appError('TOOL', 'INVALID_OUTPUT', message));
}

function seenByScript({ kind, code, message }: AppError): Json {
  return { kind, code, message: message.slice(0, 2_000) };
}
