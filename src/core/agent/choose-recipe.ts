import { z } from 'zod';
import { appError, type AppError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import type { Plan } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';
import { toolCallPlan } from '../tools/tool-call-plan';
import { choosableTools, hasType, type ChoosableTool } from './choosable-tools';
import { modelTurn } from './model-turn';
import type { ToolDefinition } from '../ports/tool-definition';
import type { Planning } from './planning';
import type { RecipeMatch } from './recipes';
import { searchWords } from './tool-search';

const maxChoices = 30;
const maxTextLength = 200;
const maxOutputTokens = 400;

const Reply = z.strictObject({
  recipe: z.string().nullable(),
  // A grammar of numbers allows 7E607, which is not finite.
  params: z.record(z.string(), z.union([z.string().max(maxTextLength), z.number(), z.boolean(), z.null()])),
});

const text = { type: 'string', maxLength: maxTextLength } as const;

/** A recipe or a tool, with what a model is told of it. */
interface Choice {
  readonly id: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly example?: string | undefined;
  readonly params: readonly {
    readonly name: string;
    readonly type: string;
    readonly description?: string | undefined;
  }[];
}

/** A call of one tool, which waits for the user's review as a recipe does. */
export interface ToolMatch {
  readonly call: Plan;
}

/** The values that a parameter may have under the grammar, which requires every property; null: none. */
function valueSchema({ type }: Choice['params'][number]): JsonObject {
  const value = type === 'number' || type === 'integer' || type === 'boolean' ? { type } : text;
  return { oneOf: [value, { type: 'null' }] };
}

const oneOf = (recipe: JsonObject, params: Choice['params']): JsonObject => ({
  type: 'object',
  properties: {
    recipe,
    params: {
      type: 'object',
      properties: Object.fromEntries(params.map((param) => [param.name, valueSchema(param)])),
      required: params.map(({ name }) => name),
      additionalProperties: false,
    },
  },
  required: ['recipe', 'params'],
  additionalProperties: false,
});

/** The schema of a choice: one recipe or tool with values for its parameters, or none. Pure. */
export const choiceSchema = (choices: readonly Pick<Choice, 'id' | 'params'>[]): JsonObject => ({
  oneOf: [...choices.map(({ id, params }) => oneOf({ const: id }, params)), oneOf({ type: 'null' }, [])],
});

/** A tool as one of the choices. */
const toolChoice = ({ uri, ...tool }: ChoosableTool): Choice => ({ id: uri, ...tool });

/** The recipes and tools to choose from: where there are too many, those that share most words with the goal. */
export function choicesFor(
  goal: string,
  recipes: readonly Choice[],
  tools: readonly ToolDefinition[],
): readonly Choice[] {
  const wanted = new Set(searchWords(goal));
  const shared = ({ title, description = '', example = '' }: Choice): number =>
    new Set(searchWords(`${title} ${description} ${example}`).filter((word) => wanted.has(word))).size;
  return [...recipes, ...choosableTools(tools).map(toolChoice)]
    .sort((a, b) => shared(b) - shared(a))
    .slice(0, maxChoices);
}

const line = (words: string): string =>
  words
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .slice(0, maxTextLength)
    .trim()
    .replace(/\.$/, '');

function choiceText({ id, title, description, example, params }: Choice): string {
  const named = params.map(({ name, type, description: about = '' }) => `${name} (${type}) ${line(about)}`);
  return [
    `- ${id}: ${line(title)}`,
    ...(description === undefined ? [] : [line(description)]),
    ...(example === undefined ? [] : [`Example: ${line(example)}`]),
    ...(named.length > 0 ? [`Parameters: ${named.join('; ')}`] : []),
  ].join('. ');
}

const rules = (choices: readonly Choice[]): string => `Choose the recipe or tool that does what the user asks.
${choices.map(choiceText).join('\n')}
Answer with JSON: {"recipe": the name before the colon and space, "params": its parameters with values from the user's words, null where there is none}.
If none of them does what the user asks, answer {"recipe": null, "params": {}}.`;

/** Whether the user wrote a value: a model may only choose among the words of the goal. */
const isFromGoal = (value: string | number | boolean, goal: string): boolean =>
  typeof value === 'boolean' || goal.toLowerCase().includes(String(value).toLowerCase());

function choiceIn(reply: string): z.infer<typeof Reply> | null {
  try {
    return Reply.safeParse(JSON.parse(reply)).data ?? null;
  } catch {
    return null;
  }
}

/** LLM/UNAVAILABLE: the model makes no plan, and found nothing that fits. */
const noneFits = (refusal: AppError): AppError => ({
  ...refusal,
  message: `${refusal.message} It found no recipe or tool for this goal.`,
});

const incomplete = ({ title }: Choice, error: AppError): AppError => ({
  ...error,
  hint: `The recipe “${title}” could fit. Name what is missing in your message, or choose the recipe with /recipe.`,
});

/** HOST/INVALID_INPUT: a tool fits, but the message has no value for what it needs. */
const incompleteCall = (title: string, missing: readonly string[]): AppError =>
  appError('HOST', 'INVALID_INPUT', `The message has no value for: ${missing.join(', ')}.`, {
    hint: `The tool “${title}” could fit. Name what is missing in your message, or choose a recipe with /recipe.`,
  });

/** The call of a tool with the values of a choice that have their types. */
function toolMatch({ uri, title, params }: ChoosableTool, values: JsonObject): Result<ToolMatch> {
  const args = params.flatMap((param): [string, Json][] => {
    const value = Object.hasOwn(values, param.name) ? values[param.name] : undefined;
    return value !== undefined && hasType(param, value) ? [[param.name, value]] : [];
  });
  const provided = new Set(args.map(([name]) => name));
  const missing = params.filter(({ name, required }) => required && !provided.has(name));
  if (missing.length > 0)
    return err(
      incompleteCall(
        title,
        missing.map(({ name }) => name),
      ),
    );
  const call = toolCallPlan(uri, title, Object.fromEntries(args));
  return call ? ok({ call }) : err(appError('TOOL', 'NOT_FOUND', `There is no tool ${uri}.`));
}

/**
 * The recipe, or the call of one of the tools, that a model which makes no plans takes a goal for. It chooses under a
 * grammar; values that the user did not write are left out, so that defaults apply. Nothing may run before the user
 * has reviewed it. `refusal` says why the model makes no plan. LLM/UNAVAILABLE when nothing fits.
 */
export async function chooseRecipe(
  planning: Planning,
  refusal: AppError,
  tools: readonly ToolDefinition[],
): Promise<Result<RecipeMatch | ToolMatch>> {
  const { request, recipes, models, meter, signal } = planning;
  const offered = choicesFor(request.goal, recipes.all, tools);
  if (offered.length === 0) return err(noneFits(refusal));
  const system = request.prompt('recipe', {
    blocks: [{ source: 'recipes: choice', text: rules(offered) }],
  });
  if (!system.ok) return system;
  const call = {
    model: request.model,
    messages: [system.value, { role: 'user' as const, content: request.goal }],
    maxOutputTokens,
    responseFormat: { type: 'json' as const, schema: choiceSchema(offered) },
  };
  const { reply } = await modelTurn(models, call, meter, signal, { part: 'recipe' });
  if (!reply.ok) return reply;
  const choice = choiceIn(reply.value.text);
  const chosen = choice && offered.find(({ id }) => id === choice.recipe);
  if (!chosen) return err(noneFits(refusal));
  const params = Object.fromEntries(
    Object.entries(choice.params).filter(([, value]) => value !== null && isFromGoal(value, request.goal)),
  );
  const tool = choosableTools(tools).find(({ uri }) => uri === chosen.id);
  if (tool) return toolMatch(tool, params);
  const match = recipes.byId(chosen.id, params, request.project);
  return match.ok ? ok(match.value) : err(incomplete(chosen, match.error));
}
