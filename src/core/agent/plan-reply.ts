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
 * Extracts the JSON of a reply: bare, in a code fence, or from the brace before the first name to the last brace.
 * `undefined` when there is none.
 */
export function jsonIn(text: string): Json | undefined {
  const whole = parse(text.trim());
  if (whole !== undefined) return whole;
  for (const [, body = ''] of text.matchAll(fence)) {
    const value = parse(body.trim());
    if (value !== undefined) return value;
  }
  const start = text.search(/\{\s*["}]/);
  return start < 0 ? undefined : parse(text.slice(start, text.lastIndexOf('}') + 1));
}

/** A reply of a planning model: an unchecked plan, or words, which are an answer. */
export type PlanReply =
  { readonly type: 'plan'; readonly plan: Json } | { readonly type: 'text'; readonly text: string };

/** Whether JSON in a text is meant as a plan and not as part of an answer. */
function isPlanLike(value: Json | undefined): value is JsonObject {
  if (value === undefined || !isObject(value)) return false;
  const ends = 'answer' in value || 'then' in value;
  return Array.isArray(value['nodes']) || isObject(value['plan'] ?? null) || ('code' in value && ends);
}

/** Text that begins like a plan, or has a code block that does, was meant as one. */
const meantAsPlan = /(^|```[A-Za-z]*\s*)\{\s*"(nodes|code|plan|goal|constraints)"\s*:/;

function noPlan(reason: string): Result<never> {
  return err(appError('LLM', 'INVALID_REPLY', `The model returned no plan: ${reason}`));
}

/**
 * The reply of a planning model: the arguments of `submit_plan`, the plan that its text is, or its words.
 */
export function replyOf(turn: ModelTurn): Result<PlanReply> {
  const call = turn.calls.find(({ name }) => name === submitPlan);
  if (call) {
    const plan = jsonIn(call.argumentsJson);
    return plan === undefined
      ? noPlan('the arguments of submit_plan are not valid JSON.')
      : ok({ type: 'plan', plan });
  }
  const text = turn.text.trim();
  const plan = jsonIn(text);
  if (isPlanLike(plan)) return ok({ type: 'plan', plan });
  if (text === '') return noPlan('the reply is empty.');
  if (!meantAsPlan.test(text)) return ok({ type: 'text', text });
  // The check of a plan says what is wrong with it.
  return plan === undefined ? noPlan('its JSON is not valid.') : ok({ type: 'plan', plan });
}

/**
 * The text of a plan that has an answer and no steps, which is an answer in words; null when it has steps, looks at
 * results or refers to them.
 */
export function onlyAnswer(plan: Json): string | null {
  if (!isObject(plan) || ['code', 'plan', 'then'].some((name) => name in plan)) return null;
  const { nodes = [], answer } = plan;
  const empty = Array.isArray(nodes) && nodes.length === 0;
  return empty && typeof answer === 'string' && !answer.includes('{{') ? answer.trim() || null : null;
}

/** Whether a text ends in a question: its last character outside code and closing marks is a question mark. */
export function isQuestion(text: string): boolean {
  const words = text.replace(/```[\s\S]*?(```|$)/g, '').replace(/`[^`\n]*`/g, '');
  return /[?？؟፧][\s*_~)\]"'”’»]*$/.test(words);
}

/**
 * Splits `then` from a plan: with "look" the model reads the results before it goes on, so the plan needs no
 * answer.
 */
export function splitLook(value: Json): { readonly plan: Json; readonly look: boolean } {
  if (!isObject(value)) return { plan: value, look: false };
  const inner = value['plan'] ?? null;
  if (isObject(inner) && !('nodes' in value) && !('code' in value)) {
    const { plan: _plan, ...around } = value;
    return splitLook({ ...around, ...inner });
  }
  const { then, ...plan } = value;
  return then === 'look' ? { plan: { ...plan, answer: '' }, look: true } : { plan, look: false };
}

/** The id of a script that is given as code alone: `work`, then `work2`, … */
export function freeScriptId(taken: ReadonlySet<string>): string {
  let id = 'work';
  for (let count = 2; taken.has(id); count += 1) id = `work${count}`;
  return id;
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
    ...('code' in node && { api: node['api'] ?? 2 }),
    title: typeof title === 'string' && title.trim() !== '' ? title.slice(0, 200) : titleOf(node['id']),
    kind: kind ?? 'script',
    ...(Array.isArray(tools) && { tools: (tools as readonly Json[]).map(toolUri) }),
  };
}

/** A plan of one script may be its code alone; its title comes from the goal. */
function nodesOf({ nodes, code, params, idempotent }: JsonObject, goal: string, id: string): Json {
  // Some models write a list as the text of one.
  if (typeof nodes === 'string') return parse(nodes) ?? nodes;
  if (nodes !== undefined || code === undefined) return nodes ?? [];
  const title = goal.trim().replace(/\s+/g, ' ').slice(0, 80);
  const options = { ...(params && { params }), ...(idempotent !== undefined && { idempotent }) };
  return [{ id, title, code, ...options }];
}

/**
 * Fills in the parts of a reply that the host knows, so that a model need not write them: the goal, titles,
 * the kind and the api of a script, and the id of a script given as code alone. The model's own values stay, right or
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
