import { appError, type AppError } from '#shared/app-error';
import { readSlice } from '#shared/artifact-slice';
import type { Artifact } from '#shared/execution';
import type { Json } from '#shared/json';
import { assertNever, err, ok, type Result } from '#shared/result';
import {
  type HostCall,
  MESSAGE_CHARS,
  maxOtherCalls,
  type RunMessage,
  type ToWorker,
} from '#shared/sandbox-protocol';
import type { ArtifactStore, CallTool } from '../../../core/ports/sandbox';

import { parseGuestJson } from './guest-json';

type CallCompletion = Extract<ToWorker, { type: 'complete-call' }>;

export interface HostSideParts {
  readonly message: RunMessage;
  readonly callTool: CallTool;
  readonly artifacts: ArtifactStore;
  readonly reply: (completion: CallCompletion) => void;
  /** Called before the script receives an artifact that it did not write itself. */
  readonly onArtifactRead?: (handle: string) => void;
}

/** Main's half of one unit: executes the script's requests within the unit's limits. */
export type HostSide = ReturnType<typeof createHostSide>;

export function createHostSide(parts: HostSideParts) {
  const { message, reply } = parts;
  const abort = new AbortController();
  const ledger = createCallLedger(message);
  const errors = new Map<number, AppError>();
  const written: Artifact[] = [];

  const completeCall = (call: number, result: Result<Json>): void => {
    if (abort.signal.aborted) return;
    ledger.close(call);
    const fitting = fit(result);
    if (!fitting.ok) errors.set(call, fitting.error);
    const json = fitting.ok ? fitting.value : JSON.stringify(seenByScript(fitting.error));
    reply({ type: 'complete-call', run: message.run, call, ok: fitting.ok, json });
  };
  const perform = async (hostCall: HostCall): Promise<Result<Json>> => {
    switch (hostCall.op) {
      case 'tool': {
        const args = parseGuestJson(hostCall.json);
        return args.ok ? parts.callTool(hostCall.tool, args.value, abort.signal) : args;
      }
      case 'write': {
        const put = writeArtifact(hostCall, parts.artifacts);
        if (!put.ok) return put;
        written.push(put.value);
        return ok({ ...put.value });
      }
      case 'read': {
        const found = parts.artifacts.get(hostCall.handle);
        if (!written.some(({ handle }) => handle === hostCall.handle))
          parts.onArtifactRead?.(hostCall.handle);
        return found.ok ? ok(readSlice(found.value, hostCall)) : found;
      }
      default:
        return assertNever(hostCall);
    }
  };
  return {
    /**
     * Starts the calls; describes the violation if a worker that follows the protocol could not have sent them.
     */
    begin(calls: readonly HostCall[]): string | undefined {
      for (const hostCall of calls) {
        const wrong = ledger.open(hostCall);
        if (wrong !== undefined) return wrong;
        const broken = (): Result<Json> => err(appError('TOOL', 'FAILED', 'The call broke off.'));
        void perform(hostCall)
          .catch(broken)
          .then((result) => completeCall(hostCall.call, result));
      }
      return undefined;
    },
    open: ledger.underWay,
    /** The error of a call, for a script that did not catch it. */
    errorOf: (call: number): AppError | undefined => errors.get(call),
    toolCalls: ledger.toolCalls,
    written: (): readonly Artifact[] => written,
    /** Cancels pending calls; sends no further replies. */
    close: (): void => abort.abort(),
  };
}

function writeArtifact(
  { name, type, content }: Extract<HostCall, { op: 'write' }>,
  artifacts: ArtifactStore,
): Result<Artifact & { name: string }> {
  const put = artifacts.put(name, type, content);
  return put.ok ? ok({ type, handle: put.value.handle, bytes: put.value.bytes, name }) : put;
}

/** The result as the text to send, or TOOL/INVALID_OUTPUT if it does not fit into one message. */
function fit(result: Result<Json>): Result<string> {
  if (!result.ok) return result;
  const json = JSON.stringify(result.value);
  if (json.length <= MESSAGE_CHARS) return ok(json);
  const message = `The result has ${json.length} characters; a script can receive at most ${MESSAGE_CHARS}.`;
  return err(appError('TOOL', 'INVALID_OUTPUT', message));
}

function seenByScript({ kind, code, message }: AppError): Json {
  return { kind, code, message: message.slice(0, 2_000) };
}

/** Tracks the pending calls of a unit and whether it may make another. */
function createCallLedger({ limits, tools }: RunMessage) {
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
    otherCalls >= maxOtherCalls(limits) ? 'more artifacts than the unit may touch' : undefined;
  return {
    /** Records a call; describes the violation if a worker that follows the protocol could not have sent it. */
    open(hostCall: HostCall): string | undefined {
      if (underWay.size >= limits.callsAtOnce) return 'too many calls at once';
      if (hostCall.call <= lastCall) return 'a call number used twice';
      const wrong = hostCall.op === 'tool' ? wrongTool(hostCall.tool) : wrongOther();
      if (wrong !== undefined) return wrong;
      lastCall = hostCall.call;
      if (hostCall.op === 'tool') toolCalls += 1;
      else otherCalls += 1;
      underWay.add(hostCall.call);
      return undefined;
    },
    close: (call: number): void => void underWay.delete(call),
    underWay: (): number => underWay.size,
    toolCalls: (): number => toolCalls,
  };
}
