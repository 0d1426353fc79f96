import { z } from 'zod';
import { errorCodes } from './app-error';

/** Maximum characters of one message (32 MB of ASCII); the receiver terminates a worker that sends more. */
export const MESSAGE_CHARS = 32 * 1024 * 1024;
/** Maximum characters of one script. */
export const SCRIPT_CHARS = 32 * 1024;
/** Maximum tokens of a node's result, whatever its tools returned. */
export const ENVELOPE_TOKENS = 600;
/**
 * Maximum concurrent calls of one script; further calls queue inside the worker. Calls that wait for the user's
 * answer count, so that one card can list them; far fewer reach servers at the same time.
 */
export const CALLS_AT_ONCE = 512;
/** Limits of `log(…)`: lines per unit and characters per line. */
export const LOG_LINES = 200;
export const LOG_LINE_CHARS = 1_000;

const count = z.number().int().nonnegative();
const text = z.string().max(MESSAGE_CHARS);
const name = z.string().max(512);

/** Limits of one unit, all required: milliseconds, megabytes, interrupt ticks, calls, characters out. */
export const UnitLimits = z.strictObject({
  cpuMs: count,
  memMb: count,
  maxOps: count,
  toolCalls: count,
  callsAtOnce: count,
  resultChars: count,
});
export type UnitLimits = z.infer<typeof UnitLimits>;

/** Maximum artifact reads and writes of a unit; main and the worker both count them. */
export function maxOtherCalls({ toolCalls }: Pick<UnitLimits, 'toolCalls'>): number {
  return Math.max(toolCalls, 100);
}

/**
 * Main to worker. Every message gets exactly one answer, except `run`, whose end is followed by one `fresh`.
 */
export const ToWorker = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('run'),
    run: count,
    code: z.string().max(SCRIPT_CHARS),
    /** JSON text; values never cross as objects. */
    params: text,
    inputs: text,
    tools: z.array(z.strictObject({ uri: name, server: name, tool: name })),
    limits: UnitLimits,
  }),
  z.strictObject({ type: z.literal('complete-call'), run: count, call: count, ok: z.boolean(), json: text }),
  z.strictObject({ type: z.literal('ping'), beat: count }),
]);
export type ToWorker = z.infer<typeof ToWorker>;
export type RunMessage = Extract<ToWorker, { type: 'run' }>;

/** A request that only main can serve; `call` is unique within the run. */
export const HostCall = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('tool'), call: count, tool: name, json: text }),
  z.strictObject({ op: z.literal('write'), call: count, name, type: name, content: text }),
  z.strictObject({
    op: z.literal('read'),
    call: count,
    handle: name,
    from: count.optional(),
    to: count.optional(),
    grep: z.string().max(1_000).optional(),
  }),
]);
export type HostCall = z.infer<typeof HostCall>;

/** Resources the unit has used so far: compute milliseconds, interrupt ticks, megabytes of guest memory. */
export const UnitUse = z.strictObject({ cpuMs: z.number().nonnegative(), ticks: count, memMb: z.number() });
export type UnitUse = z.infer<typeof UnitUse>;

/** Errors that a worker may report; kinds that only main can know are excluded by type. */
export const ScriptFailure = z.discriminatedUnion('kind', [
  failureOf('CODE', errorCodes.CODE),
  failureOf('BUDGET', errorCodes.BUDGET),
  failureOf('TOOL', ['INVALID_ARGUMENTS']),
  failureOf('SANDBOX', ['PROC_CRASH']),
]);
export type ScriptFailure = z.infer<typeof ScriptFailure>;

/** Result of probing one escape route from the process after the lockdown. */
export const RouteProbe = z.strictObject({ route: name, denied: z.boolean(), detail: z.string().max(500) });
export type RouteProbe = z.infer<typeof RouteProbe>;

/** Whether the worker installed its system call filter, and why not. */
export const KernelReport = z.strictObject({ ok: z.boolean(), detail: z.string().max(500) });
export type KernelReport = z.infer<typeof KernelReport>;

const report = {
  run: count,
  use: UnitUse,
  log: z.array(z.string().max(LOG_LINE_CHARS)).max(LOG_LINES + 1),
};

/**
 * Worker to main. `turn`, `done` and `failed` end a slice of compute; a worker that owes no
 * answer must not send anything.
 */
export const FromWorker = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('ready'),
    protocol: z.literal(1),
    probes: z.array(RouteProbe).max(100),
    /** The engine's build, for display. */
    engine: z.string().max(60).optional(),
    kernel: KernelReport.optional(),
  }),
  z.strictObject({ type: z.literal('turn'), ...report, calls: z.array(HostCall).max(1_000) }),
  z.strictObject({ type: z.literal('done'), ...report, json: text }),
  z.strictObject({
    type: z.literal('failed'),
    ...report,
    error: ScriptFailure,
    /** The call whose error the script did not catch; main knows that error. */
    call: count.optional(),
  }),
  z.strictObject({ type: z.literal('fresh'), run: count }),
  z.strictObject({ type: z.literal('pong'), beat: count }),
]);
export type FromWorker = z.infer<typeof FromWorker>;

/** The JSON of `done`: the script's return value, with artifacts reduced to handles. */
export const ScriptResult = z.strictObject({
  summary: z.string(),
  state: z.record(z.string(), z.json()),
  artifacts: z.array(z.string()).nullable(),
});
export type ScriptResult = z.infer<typeof ScriptResult>;

function failureOf<K extends string, const C extends readonly [string, ...string[]]>(kind: K, codes: C) {
  return z.strictObject({
    kind: z.literal(kind),
    code: z.enum(codes),
    message: z.string().max(600),
    tool: name.optional(),
    line: z.number().int().positive().optional(),
    column: z.number().int().positive().optional(),
    hint: z.string().max(300).optional(),
  });
}
