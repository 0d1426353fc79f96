import type { UnitLimits } from '#shared/sandbox-protocol';

/** Receives the guest's messages over its only route out: the kind of message, and JSON text. */
export type OutputListener = (what: string, text: string) => void;

/** The host of a VM for the one unit it runs. */
export interface VmHost {
  readonly memMb: UnitLimits['memMb'];
  /** Called every few thousand steps of the engine; true stops the script permanently. */
  interrupt(): boolean;
  readonly onOutput: OutputListener;
}

/** The engine's own error about a script that it could not parse. */
export interface EngineError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

/**
 * One virtual machine with its own memory, for one unit. Only text crosses the boundary. `start`, `completeCall`
 * and `runJobs` throw when the engine was interrupted, ran out of memory or trapped; the VM is then unusable.
 */
export interface Vm {
  /** Starts a script from source, with the unit's JSON; returns the error if the engine cannot parse it. */
  start(source: string, file: string, unit: string): EngineError | undefined;
  /** Completes one of the guest's calls with JSON text. */
  completeCall(call: number, ok: boolean, json: string): void;
  /** Runs pending jobs until none is left or `over` returns true; checks between batches. */
  runJobs(over: () => boolean): void;
  /** Megabytes to which the VM's memory has grown; it never shrinks. */
  memMb(): number;
  /** Whether the memory is near its limit, so that a failed allocation explains the failure. */
  memoryFull(): boolean;
}

/** A VM that contains only the guest's half of the bridge. */
export interface PreparedVm {
  open(host: VmHost): Promise<Vm>;
}

/** A compiled build of the engine: creates VMs quickly. */
export type PrepareVm = () => Promise<PreparedVm>;

/** The minimum memory of the engine's binaries, and the maximum of every unit whatever its budget says. */
export const MIN_GUEST_MIB = 16;
export const MAX_GUEST_MIB = 64;
export const MIB = 1024 * 1024;
/**
 * With more than 64 KiB, deep nesting overflows this process's own stack before the guest reaches its limit.
 */
export const STACK_BYTES = 64 * 1024;

/** Converts a unit's megabytes to bytes, clamped to the range of every VM. */
export function guestBytes(memMb: number): number {
  return Math.min(Math.max(memMb, MIN_GUEST_MIB), MAX_GUEST_MIB) * MIB;
}

/** The bytes of an engine that the build has embedded in this file as a data URL. */
export function wasmBytes(dataUrl: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64'));
}
