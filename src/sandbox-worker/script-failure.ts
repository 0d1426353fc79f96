import { z } from 'zod';
import { ScriptFailure } from '#shared/sandbox-protocol';
import { positionIn } from './compile-script';
import type { StopCode } from './compute-meter';

/** The guest's `describe` output for a thrown value. */
const GuestFailure = z.object({
  message: z.string(),
  stack: z.string(),
  failure: z
    .object({ kind: z.string(), code: z.string(), tool: z.string().optional(), call: z.number().optional() })
    .nullable(),
});

export interface NamedFailure {
  readonly error: ScriptFailure;
  /** The call whose error the script did not catch. */
  readonly call?: number;
}

/** The guest's description of a thrown `null`. */
export const THREW_NULL = 'The script threw null.';

/** Converts a failure into its kind, code and position in the script. */
export function nameFailure(json: string, code: string): NamedFailure {
  const { message, stack, failure } = GuestFailure.parse(JSON.parse(json));
  const place = positionIn(stack, code);
  const text = message.slice(0, 500);
  if (failure === null) return { error: { ...engineFailure(text), ...place } };
  const own = ScriptFailure.safeParse({
    kind: failure.kind,
    code: failure.code,
    message: text,
    ...(failure.tool === undefined ? {} : { tool: failure.tool.slice(0, 200) }),
    ...place,
  });
  if (own.success && own.data.code === 'OUTPUT_LIMIT')
    own.data.hint = 'Store large values with artifacts.write(name, value); return what the answer needs.';
  // For kinds that only main knows, the failure refers to its call, and main has the error itself.
  const error: ScriptFailure = own.success ? own.data : { ...runtimeError(text), ...place };
  return { error, ...(failure.call === undefined ? {} : { call: failure.call }) };
}

/** The failure of a unit that was stopped. */
export function stopFailure(code: StopCode): ScriptFailure {
  const messages: Record<StopCode, string> = {
    CPU_LIMIT: 'The script used up its compute time.',
    OPS_LIMIT: 'The script used up its operations.',
    TOOL_CALLS: 'The script used up its tool calls.',
  };
  return { kind: 'BUDGET', code, message: messages[code] };
}

/** No pending work can continue the script: only the run's wall-clock limit would end it. */
export function deadlock(): ScriptFailure {
  return {
    kind: 'BUDGET',
    code: 'WALL_CLOCK',
    message: 'The script waits for something that never comes.',
    hint: 'Every promise that a script awaits must come from a tool, an artifact or its own code.',
  };
}

export function memoryLimit(): ScriptFailure {
  return { kind: 'BUDGET', code: 'MEMORY_LIMIT', message: 'The script used up its memory.' };
}

function stackLimit(): ScriptFailure {
  return { kind: 'BUDGET', code: 'STACK_LIMIT', message: 'The script calls itself too deeply.' };
}

export function engineTrap(): ScriptFailure {
  return {
    kind: 'SANDBOX',
    code: 'PROC_CRASH',
    message: 'The script engine broke down; its process is replaced.',
  };
}

/** Maps the engine's own messages to the exhausted resource. */
const EXHAUSTED: Readonly<Record<string, () => ScriptFailure>> = {
  'InternalError: out of memory': memoryLimit,
  'InternalError: string too long': memoryLimit,
  'InternalError: stack overflow': stackLimit,
  'SyntaxError: stack overflow': stackLimit,
  'RangeError: Maximum call stack size exceeded': stackLimit,
};

function engineFailure(message: string): ScriptFailure {
  return EXHAUSTED[message]?.() ?? runtimeError(message);
}

const ABSENT = /'?\b(setTimeout|setInterval|require|process|fetch|Proxy|Intl|URL|Buffer)'? is not defined/;
/** A result is not an MCP message: `result.content[0].text` is the result itself. */
const MESSAGE_PARTS = /cannot read propert(?:y|ies) '?(?:0|text)'? of undefined/;

function runtimeError(message: string): ScriptFailure {
  const failure = { kind: 'CODE', code: 'RUNTIME_ERROR', message } as const;
  if (MESSAGE_PARTS.test(message)) {
    return {
      ...failure,
      hint: 'A tool returns its result directly: an object, or its text as a string, never {content: [{text}]}.',
    };
  }
  if (!ABSENT.test(message)) return failure;
  return {
    ...failure,
    hint: 'A script has tools, params, inputs, artifacts and log: no clock, timers, modules or network.',
  };
}
