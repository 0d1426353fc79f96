import type { TaintSource } from '#shared/approval';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { originsOfRead } from './node-artifacts';
import type { RunContext } from './node-run';
import { restoreSpilled } from './restore-spilled';

/** The complete results of earlier steps that a model reads, and their taint sources. */
export interface ModelInput {
  readonly states: JsonObject;
  readonly origins: readonly TaintSource[];
}

/** The reader of the input, and its token budget. */
export interface ModelReader {
  readonly nodeId: string;
  /** The subject of the error message: `The input of this step`. */
  readonly what: string;
  /** The tokens that the step (for an answer: the run) may spend. */
  readonly tokens: number;
  /** The setting that limits them. */
  readonly setting: 'node.tokens' | 'run.tokens';
}

const count = (tokens: number): string => Math.round(tokens).toLocaleString('en');

function tooLong({ what, tokens, setting }: ModelReader, needed: number): Result<never> {
  const limit = setting === 'node.tokens' ? 'a model step may use' : 'the run has left';
  const message = `${what} is about ${count(needed)} tokens, and ${limit} ${count(Math.max(0, tokens))}.`;
  const hint = `Let a script step select or shorten what the model needs, or raise ${setting} in .patina/budgets.json.`;
  return err(appError('BUDGET', 'TOKEN_LIMIT', message, { hint }));
}

/**
 * The states that a model step or an answer reads, with all values stored outside an envelope restored. `beside`: the
 * text that the model reads with them.
 * Nothing is ever truncated: BUDGET/TOKEN_LIMIT when the input exceeds the reader's budget; HOST/NOT_FOUND or
 * HOST/STORAGE when a stored value is missing or damaged.
 */
export async function modelInput(
  run: RunContext,
  states: JsonObject,
  reader: ModelReader,
  beside = '',
): Promise<Result<ModelInput>> {
  const whole: Record<string, JsonObject> = {};
  const origins: TaintSource[] = [];
  for (const [id, state] of Object.entries(states)) {
    const onRead = (handle: string): void => void origins.push(...originsOfRead(run, reader.nodeId, handle));
    const restored = restoreSpilled(state as JsonObject, run.artifacts, onRead);
    if (!restored.ok) return restored;
    whole[id] = restored.value;
  }
  const needed = await run.countTokens(JSON.stringify(whole) + beside);
  return needed > reader.tokens ? tooLong(reader, needed) : ok({ states: whole, origins });
}
