import { appError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ModelTurn } from './model-turn';

/** The function a planning model calls. */
export const submitPlan = 'submit_plan';

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const fence = /```[A-Za-z]*[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```/g;

/** The JSON a reply consists of: bare, in one fence, or between its first and last brace. `undefined` when there is none. */
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

/** The plan a reply proposes, still unchecked: the arguments of `submit_plan`, or JSON in its text. */
export function planIn(turn: ModelTurn): Result<Json> {
  const call = turn.calls.find(({ name }) => name === submitPlan);
  const value = call ? jsonIn(call.argumentsJson) : jsonIn(turn.text);
  if (value !== undefined) return ok(value);
  const what = call ? 'the arguments of submit_plan are not valid JSON.' : 'the reply holds no plan.';
  return err(appError('LLM', 'INVALID_REPLY', `The model gave no plan: ${what}`));
}
