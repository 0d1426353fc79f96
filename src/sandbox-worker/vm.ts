import type { UnitLimits } from '#shared/sandbox-protocol';

/** What the guest says through its one way out: a word for what it is, and JSON text. */
export type HearGuest = (what: string, text: string) => void;

/** What a machine is given for the one unit it runs. */
export interface VmHost {
  readonly memMb: UnitLimits['memMb'];
  /** Asked every few thousand steps of the engine; true breaks the script off for good. */
  interrupt(): boolean;
  readonly hear: HearGuest;
}

/** An error of the engine's own about a script that it could not read. */
export interface EngineError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/**
 * One virtual machine with a memory of its own, for one unit. Only text crosses. `start`, `settle` and `runJobs` throw
 * when the engine was interrupted, ran out of memory or trapped; the machine is then of no further use.
 */
export interface Vm {
  /** Begins a script, given as source, with the unit's JSON; gives what was wrong when the engine cannot read it. */
  start(source: string, file: string, unit: string): EngineError | undefined;
  /** Ends one of the guest's calls with JSON text. */
  settle(call: number, ok: boolean, json: string): void;
  /** Runs pending jobs until there are none or `over` says so; it looks between batches. */
  runJobs(over: () => boolean): void;
  /** Megabytes the machine's memory has grown to; it never shrinks. */
  memMb(): number;
  /** Whether the memory has come near its limit, where a failed allocation explains what broke. */
  memoryFull(): boolean;
}

/** A machine into which the guest's half of the bridge is loaded, and nothing else. */
export interface PreparedVm {
  open(host: VmHost): Promise<Vm>;
}

/** A build of the engine, compiled: gives machines, quickly. */
export type PrepareVm = () => Promise<PreparedVm>;

/** What the engine's binaries ask for at least, and what no unit can pass whatever its budget says. */
export const MIN_GUEST_MIB = 16;
export const MAX_GUEST_MIB = 64;
export const MIB = 1024 * 1024;
/** More than 64 KiB and deep nesting reaches the end of this process's own stack before the guest's limit. */
export const STACK_BYTES = 64 * 1024;

/** A unit's megabytes as bytes, within what every machine keeps to. */
export function guestBytes(memMb: number): number {
  return Math.min(Math.max(memMb, MIN_GUEST_MIB), MAX_GUEST_MIB) * MIB;
}

/** The bytes of an engine that the build has put into this file as a data URL. */
export function wasmBytes(dataUrl: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64'));
}
