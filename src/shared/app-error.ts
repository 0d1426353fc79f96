import { z } from 'zod';
import { NodeMetrics } from './node-metrics';

/**
 * Every error that Patina can report: a `kind` and a closed set of `code`s per kind. The first five kinds are
 * the error taxonomy of agent-mode §8.
 */
export const errorCodes = {
  TOOL: ['NOT_FOUND', 'INVALID_ARGUMENTS', 'FAILED', 'TIMEOUT', 'UNAVAILABLE', 'INVALID_OUTPUT', 'SIGN_IN'],
  CODE: ['SYNTAX_ERROR', 'FORBIDDEN', 'UNKNOWN_TOOL', 'RUNTIME_ERROR', 'INVALID_RESULT', 'INVALID_PLAN'],
  POLICY: [
    'CAPABILITY_DENIED',
    'APPROVAL_DENIED',
    'APPROVAL_EXPIRED',
    'RATE_LIMITED',
    'ROLE_REQUIRED',
    'TOOL_CHANGED',
  ],
  BUDGET: [
    'CPU_LIMIT',
    'OPS_LIMIT',
    'MEMORY_LIMIT',
    'STACK_LIMIT',
    'OUTPUT_LIMIT',
    'TOKEN_LIMIT',
    'COST_LIMIT',
    'WALL_CLOCK',
    'TOOL_CALLS',
    'NODE_LIMIT',
  ],
  SANDBOX: ['PROC_CRASH', 'PROTOCOL_VIOLATION', 'START_FAILED', 'UNSUPPORTED'],
  LLM: ['UNAVAILABLE', 'AUTH', 'RATE_LIMITED', 'QUOTA', 'CONTEXT_LIMIT', 'INVALID_REPLY'],
  CONFIG: ['INVALID', 'MISSING'],
  HOST: ['NOT_FOUND', 'INVALID_INPUT', 'STATE', 'STORAGE', 'CANCELLED'],
} as const;

/** One problem in a file that Patina reads: file, field, violated rule and reason. */
export const ConfigProblem = z.object({
  file: z.string(),
  field: z.string(),
  rule: z.string(),
  reason: z.string(),
  /** The pack that the file belongs to: Patina could start without it. */
  pack: z.string().optional(),
});
export type ConfigProblem = z.infer<typeof ConfigProblem>;

/** Formats a problem in one line: file, field if any, reason. */
export const problemLine = ({ file, field, reason }: ConfigProblem): string =>
  [file, field, reason].filter((part) => part !== '').join(': ');

const details = {
  message: z.string(),
  retryable: z.boolean(),
  node: z.string().optional(),
  tool: z.string().optional(),
  /** The gate layer that refused (`capability`, `arguments`, …). */
  layer: z.string().optional(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
  /** What the reader can do next. */
  hint: z.string().optional(),
  /**
   * The call may have reached its server, but its outcome was not observed; absent: it
   * is known to have failed.
   */
  outcome: z.literal('unknown').optional(),
  /** Delay in milliseconds after which a retry makes sense. */
  retryAfterMs: z.number().optional(),
  problems: z.array(ConfigProblem).optional(),
  /** Resources a standalone unit (`patina exec`) had used when it failed. */
  metrics: NodeMetrics.optional(),
};

export const AppError = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('TOOL'), code: z.enum(errorCodes.TOOL), ...details }),
  z.object({ kind: z.literal('CODE'), code: z.enum(errorCodes.CODE), ...details }),
  z.object({ kind: z.literal('POLICY'), code: z.enum(errorCodes.POLICY), ...details }),
  z.object({ kind: z.literal('BUDGET'), code: z.enum(errorCodes.BUDGET), ...details }),
  z.object({ kind: z.literal('SANDBOX'), code: z.enum(errorCodes.SANDBOX), ...details }),
  z.object({ kind: z.literal('LLM'), code: z.enum(errorCodes.LLM), ...details }),
  z.object({ kind: z.literal('CONFIG'), code: z.enum(errorCodes.CONFIG), ...details }),
  z.object({ kind: z.literal('HOST'), code: z.enum(errorCodes.HOST), ...details }),
]);
export type AppError = z.infer<typeof AppError>;
export type ErrorKind = AppError['kind'];
export type ErrorCode<K extends ErrorKind> = Extract<AppError, { kind: K }>['code'];

/** The problems that the message of the error does not name itself. */
export function otherProblems({ message, problems = [] }: AppError): readonly ConfigProblem[] {
  const lines = message.split('\n');
  return problems.filter(({ file, field, reason }) => {
    const inField = field === '' ? reason : `${field}: ${reason}`;
    return !lines.includes(reason) && !(message.includes(file) && message.includes(`: ${inField}`));
  });
}

type ErrorDetails = Omit<Partial<AppError>, 'kind' | 'code' | 'message'>;

/** Builds a typed error; `retryable` is false unless said otherwise. */
export function appError<K extends ErrorKind>(
  kind: K,
  code: ErrorCode<K>,
  message: string,
  more: ErrorDetails = {},
): AppError {
  return { kind, code, message, retryable: false, ...more } as AppError;
}
