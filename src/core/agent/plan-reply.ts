import { appError } from '#shared/app-error';
import { isObject, type Json, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ModelTurn } from './model-turn';

/** The function that a planning model calls. */
export const submitPlan = 'submit_plan';

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const fence = /```[A-Za-z]*[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```/g;

/**
 * Extracts the JSON of a reply: bare, in a code fence, or between its first and last brace. `undefined` when
 * there is none.
 */
export function jsonIn(text: string): Json | undefined {
  const whole = parse(text.trim());
  if (whole !== undefined) return whole;
  for (const [, body = ''] of text.matchAll(fence)) {
    const value = parse(body.trim());
    if (value !== undefined) return value;
  }
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  return start < 0 || end < start ? undefined : parse(text.slice(start, end + 1));
}

/** The unchecked plan of a reply: the arguments of `submit_plan`, or the JSON in its text. */
export function planIn(turn: ModelTurn): Result<Json> {
  const call = turn.calls.find(({ name }) => name === submitPlan);
  const value = call ? jsonIn(call.argumentsJson) : jsonIn(turn.text);
  if (value !== undefined) return ok(value);
  const what = call ? 'the arguments of submit_plan are not valid JSON.' : 'the reply holds no plan.';
  return err(appError('LLM', 'INVALID_REPLY', `The model gave no plan: ${what}`));
}

/** Turns `read_all_files` into the title “Read all files”. */
function titleOf(id: Json | undefined): string {
  const words = typeof id === 'string' ? id.replaceAll('_', ' ').trim() : '';
  return words === '' ? 'Step' : `${words.slice(0, 1).toUpperCase()}${words.slice(1, 200)}`;
}

/** Normalizes `tools.server.tool` and `server.tool`, as a model may write them, to `mcp://server.tool`. */
function toolUri(name: Json): Json {
  if (typeof name !== 'string' || name.includes('://')) return name;
  return `mcp://${name.replace(/^tools\./, '')}`;
}

function completeNode(node: Json): Json {
  if (!isObject(node)) return node;
  const { title, kind, tools } = node;
  return {
    ...node,
    title: typeof title === 'string' && title.trim() !== '' ? title.slice(0, 200) : titleOf(node['id']),
    kind: kind ?? 'script',
    ...(Array.isArray(tools) && { tools: (tools as readonly Json[]).map(toolUri) }),
  };
}

/** A plan of one script may be its code alone; its title comes from the goal. */
function nodesOf({ nodes, code, params, idempotent }: JsonObject, goal: string, id: string): Json {
  if (nodes !== undefined || code === undefined) return nodes ?? [];
  const title = goal.trim().replace(/\s+/g, ' ').slice(0, 80);
  const wishes = { ...(params && { params }), ...(idempotent !== undefined && { idempotent }) };
  return [{ id, title, code, ...wishes }];
}

/**
 * Fills in the parts of a reply that the host knows, so that a model need not write them: the goal, titles,
 * the kind of a script, and the id of a script given as code alone. The model's own values stay, right or
 * wrong; the check decides about them.
 */
export function completePlan(value: Json, goal: string, scriptId = 'work'): Json {
  if (!isObject(value)) return value;
  const wrapped = 'plan' in value && !('nodes' in value) && !('code' in value);
  const plan: JsonObject = wrapped ? objectOr(value['plan'], value) : value;
  const nodes = nodesOf(plan, goal, scriptId);
  const { code: _code, params: _params, idempotent: _idempotent, ...rest } = plan;
  return {
    ...('nodes' in plan ? plan : rest),
    goal: typeof plan['goal'] === 'string' && plan['goal'] !== '' ? plan['goal'] : goal,
    nodes: Array.isArray(nodes) ? (nodes as readonly Json[]).map(completeNode) : nodes,
  };
}

const objectOr = (value: Json | undefined, other: JsonObject): JsonObject =>
  value !== undefined && isObject(value) ? value : other;
