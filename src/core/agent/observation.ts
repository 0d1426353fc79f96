import { isObject, parseJson, type Json, type JsonObject } from '#shared/json';
import type { LedgerEntry } from '#shared/ledger';
import type { Plan } from '#shared/plan';
import type { PlanChange } from '#shared/plan-review';
import { shapeOf } from '#shared/result-shape';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { ModelTool, ModelToolCall } from '../ports/llm';
import type { ArtifactStore } from '../ports/sandbox';
import { previousName } from './each';
import type { NodeOutcome } from './node-run';
import { restoreSpilled } from './restore-spilled';
import { withTables } from './result-tables';

/** The most tokens of states in one observation, and of one part of a result that the model reads. */
const maxTokens = 1_500;
/** About as many characters; a part is cut to it before its tokens are counted. */
const maxCharacters = maxTokens * 4;
/** Below this a part is not cut further, whatever its tokens. */
const minCharacters = 100;

export type CountText = (text: string) => Promise<number>;

/** The results of a stage. */
export interface StageResults {
  readonly stage: number;
  /** Without the approval nodes that the host inserted. */
  readonly ends: readonly NodeOutcome[];
  readonly writes: readonly LedgerEntry[];
  /** What the user wants instead of refused calls. */
  readonly userTexts: readonly string[];
  /** What the user changed in the plan before it ran. */
  readonly changes?: readonly Json[];
}

const wholeState = (state: JsonObject, artifacts: Pick<ArtifactStore, 'get'>): JsonObject => {
  const whole = restoreSpilled(state, artifacts);
  return whole.ok ? whole.value : state;
};

/** A state as the model reads it, beside the whole one. */
const readState = (state: JsonObject, artifacts: Pick<ArtifactStore, 'get'>) => {
  const whole = wholeState(state, artifacts);
  return { whole, read: withTables(whole) };
};

/**
 * The report of a stage to the planning model: the result of its plan's call. Built from the outcomes alone,
 * so that a restart builds the same bytes. Empty lists are left out, and arrays of like objects are tables; states
 * that are too long together are replaced by their shapes.
 */
export async function observationText(
  { stage, ends, writes, userTexts, changes = [] }: StageResults,
  artifacts: Pick<ArtifactStore, 'get'>,
  count: CountText,
): Promise<string> {
  const states = ends.map(({ state }) => (state ? readState(state, artifacts) : undefined));
  const sizes = await Promise.all(states.map((state) => count(state ? JSON.stringify(state.read) : '')));
  const short = sizes.reduce((sum, size) => sum + size, 0) <= maxTokens;
  const nodes = ends.map(({ id, status, summary, error, artifacts: files = [] }, at) => {
    const state = states[at];
    return {
      id,
      status,
      summary,
      ...(state && (short ? { state: state.read } : { shape: shapeOf(state.whole) })),
      ...(files.length > 0 && {
        artifacts: files.map(({ name, handle, bytes }) => ({ name, handle, bytes })),
      }),
      ...(error && { error }),
    };
  });
  const listed = writes.map(({ tool, target, outcome, undo }) => ({ tool, target, outcome, undo }));
  return JSON.stringify({
    stage,
    ...(changes.length > 0 && { changedByUser: changes }),
    nodes,
    ...(listed.length > 0 && { writes: listed }),
    ...(userTexts.length > 0 && { said: userTexts }),
  });
}

/** The changes as the model reads them: with the new values while they are short, otherwise by field. */
export function changesMade(changes: readonly PlanChange[], plan?: Plan): readonly Json[] {
  const plain = JSON.parse(JSON.stringify(changes)) as readonly JsonObject[];
  const nodes = new Map(plan?.nodes.map((node) => [node.id, Object.entries(node)]));
  const full = changes.map((change, at): JsonObject => {
    const fields = change.type === 'edited' ? change.fields : [];
    const entries = 'id' in change ? (nodes.get(change.id) ?? []) : [];
    const now = Object.fromEntries(entries.filter(([name]) => fields.includes(name))) as JsonObject;
    return { ...plain[at], ...(fields.length > 0 && { now }) };
  });
  return JSON.stringify(full).length <= maxCharacters ? full : plain;
}

/** The function with which a planning model reads part of a result. */
export const readResult = 'read_result';
export const maxReads = 8;

export const readResultTool: ModelTool = {
  name: readResult,
  description: 'Reads lines or items of a result.',
  parameters: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      handle: { type: 'string' },
      path: { type: 'string', description: 'JSON Pointer' },
      from: { type: 'integer' },
      to: { type: 'integer' },
      grep: { type: 'string' },
    },
  },
};

const unknownResult = (what: string, names: readonly string[] = []): Result<never> => {
  const hint = names.length > 0 ? { hint: `It has: ${names.join(', ')}.` } : {};
  return err(appError('HOST', 'NOT_FOUND', `This session has no result ${what}.`, hint));
};

const noArguments = appError(
  'HOST',
  'INVALID_INPUT',
  'The arguments are not a JSON object with an id or a handle.',
);

/** The most names in an error. */
const maxNames = 20;

/** The handles that a run's nodes gave, as artifacts or as parts of their states. */
function handlesOf(ends: readonly NodeOutcome[]): ReadonlySet<string> {
  const text = JSON.stringify(ends.map(({ state, artifacts }) => [state, artifacts]));
  return new Set(text.match(/artifact:\/\/sha256\/[0-9a-f]{64}/g));
}

function valueOf(
  { id, handle }: JsonObject,
  ends: readonly NodeOutcome[],
  artifacts: Pick<ArtifactStore, 'get'>,
): Result<Json> {
  if (typeof handle === 'string') {
    if (!handlesOf(ends).has(handle)) return unknownResult(handle);
    const content = artifacts.get(handle);
    if (!content.ok) return content;
    const parsed = parseJson(content.value);
    return ok(parsed.ok ? parsed.value : content.value);
  }
  if (typeof id !== 'string') return err(noArguments);
  const stateOf = (wanted: string) => ends.find((end) => end.id === wanted && end.status === 'done')?.state;
  // The conversation names the results of the newest earlier run by their ids, and scripts as inputs.previous.<id>.
  const earlier = stateOf(previousName) ?? {};
  const state = stateOf(id) ?? (Object.hasOwn(earlier, id) ? (earlier[id] as JsonObject) : undefined);
  if (state) return restoreSpilled(state, artifacts);
  const own = ends.flatMap((end) => (end.status === 'done' && end.state ? [end.id] : []));
  return unknownResult(`“${id}”`, [...new Set([...own, ...Object.keys(earlier)])].slice(0, maxNames));
}

function atPointer(value: Json, path: string): Result<Json> {
  let found = value;
  for (const raw of path.split('/').slice(1)) {
    const name = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    const has = found !== null && typeof found === 'object' && Object.hasOwn(found, name);
    if (!has) return unknownResult(`at ${path}`);
    found = (found as JsonObject)[name] ?? null;
  }
  return ok(found);
}

const whole = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;

/** The lines or the items to show, how many characters they may take, and what they must contain. */
interface Window {
  readonly start: number;
  readonly end: number | undefined;
  readonly grep: string | undefined;
  readonly maxLength: number;
}

/** Cuts a list of lines or items to the first ones that fit. */
function fitting<T>(items: readonly T[], textOf: (item: T) => string, maxLength: number): readonly T[] {
  let left = maxLength;
  const cut = items.findIndex((item) => (left -= textOf(item).length + 1) < 0);
  return cut === -1 ? items : items.slice(0, cut);
}

function matchingLines(text: string, { start, end, grep = '', maxLength }: Window): JsonObject {
  const lines = text.split('\n');
  const found = lines.slice(start - 1, end).flatMap((line, at) => {
    return line.includes(grep) ? [{ line: start + at, text: line }] : [];
  });
  const value = fitting(found, (row) => JSON.stringify(row), maxLength);
  const total = lines.length;
  const more = value.length < found.length;
  // Where it was cut, the next call continues.
  const to = more ? (found[value.length]?.line ?? start) - 1 : Math.min(end ?? total, total);
  return { value: [...value], from: start, to, total, more };
}

function linesOf(text: string, { start, end, maxLength }: Window): JsonObject {
  const lines = text.split('\n');
  const shown = fitting(lines.slice(start - 1, end), (line) => line, maxLength);
  const total = lines.length;
  // A single line that is too long is cut, and says so; behind the last one there is nothing more.
  const [first = ''] = lines.slice(start - 1);
  if (shown.length === 0)
    return { text: first.slice(0, maxLength), from: start, to: start, total, more: start <= total };
  const last = start + shown.length - 1;
  return { text: shown.join('\n'), from: start, to: last, total, more: last < total };
}

function itemsOf(items: readonly Json[], { start, end, grep = '', maxLength }: Window): JsonObject {
  const found = items.filter((item) => grep === '' || JSON.stringify(item).includes(grep));
  const shown = fitting(found.slice(start - 1, end), (item) => JSON.stringify(item), maxLength);
  const last = start - 1 + shown.length;
  const total = found.length;
  const [first] = found.slice(start - 1);
  if (first !== undefined && shown.length === 0) {
    const shape = JSON.parse(JSON.stringify(shapeOf(first))) as Json;
    return {
      shape,
      hint: 'This item is too long: give a path into it.',
      from: start,
      to: start,
      total,
      more: true,
    };
  }
  return { value: [...shown], from: start, to: last, total, more: last < total };
}

function sliceOf(value: Json, { from, to, grep }: JsonObject, maxLength: number): JsonObject {
  const start = whole(from) ?? 1;
  const end = whole(to);
  const part: Window = {
    start,
    // A range that ends before it begins is one line or item.
    end: end === undefined ? undefined : Math.max(start, end),
    grep: typeof grep === 'string' && grep !== '' ? grep : undefined,
    maxLength,
  };
  if (typeof value === 'string')
    return part.grep === undefined ? linesOf(value, part) : matchingLines(value, part);
  if (Array.isArray(value)) return itemsOf(value as readonly Json[], part);
  return JSON.stringify(value).length <= maxLength
    ? { value, from: 1, to: 1, total: 1, more: false }
    : { shape: JSON.parse(JSON.stringify(shapeOf(value))) as Json, hint: 'Give a path.', more: true };
}

/** The most of a value that fits: text of few letters per token gets less room. */
async function fittingPart(value: Json, args: JsonObject, count: CountText): Promise<string> {
  let before = '';
  for (let maxLength = maxCharacters; ;) {
    const text = JSON.stringify(sliceOf(value, args, maxLength));
    const tokens = await count(text);
    // A shape is not cut: with less room it is the same.
    if (tokens <= maxTokens || text === before || maxLength < minCharacters) return text;
    before = text;
    maxLength = Math.floor((maxLength * maxTokens * 0.9) / tokens);
  }
}

/** Answers a `read_result` call from the results of the run, within its limit. */
export async function readResultText(
  { argumentsJson }: ModelToolCall,
  ends: readonly NodeOutcome[],
  artifacts: Pick<ArtifactStore, 'get'>,
  count: CountText,
): Promise<string> {
  const parsed = parseJson(argumentsJson);
  const args: JsonObject = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const value = valueOf(args, ends, artifacts);
  const { path = '' } = args;
  const part = value.ok && typeof path === 'string' && path !== '' ? atPointer(value.value, path) : value;
  return part.ok ? fittingPart(part.value, args, count) : JSON.stringify({ error: part.error });
}
