import { z } from 'zod';
import type { AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { Recipe, RecipeParam } from '#shared/recipe';
import { err, ok, type Result } from '#shared/result';
import { modelTurn } from './model-turn';
import type { Planning } from './planning';
import type { RecipeMatch } from './recipes';
import { searchWords } from './tool-search';

const maxRecipes = 30;
const maxTextLength = 200;
const maxOutputTokens = 400;

const Reply = z.strictObject({
  recipe: z.string().nullable(),
  // A grammar of numbers allows 7E607, which is not finite.
  params: z.record(z.string(), z.union([z.string().max(maxTextLength), z.number(), z.boolean(), z.null()])),
});

const text = { type: 'string', maxLength: maxTextLength } as const;

/** The values that a parameter may have under the grammar, which requires every property; null: none. */
function valueSchema({ type }: RecipeParam): JsonObject {
  const value = type === 'number' || type === 'boolean' ? { type } : text;
  return { oneOf: [value, { type: 'null' }] };
}

const oneOf = (recipe: JsonObject, params: readonly RecipeParam[]): JsonObject => ({
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

/** The schema of a choice: one of the recipes with values for its parameters, or none. Pure. */
export const choiceSchema = (recipes: readonly Pick<Recipe, 'id' | 'params'>[]): JsonObject => ({
  oneOf: [...recipes.map(({ id, params }) => oneOf({ const: id }, params)), oneOf({ type: 'null' }, [])],
});

/** The recipes to choose from: where there are too many, those that share most words with the goal. */
function candidates(recipes: readonly Recipe[], goal: string): readonly Recipe[] {
  const wanted = new Set(searchWords(goal));
  const shared = ({ title, description = '', example = '' }: Recipe): number =>
    new Set(searchWords(`${title} ${description} ${example}`).filter((word) => wanted.has(word))).size;
  return [...recipes].sort((a, b) => shared(b) - shared(a)).slice(0, maxRecipes);
}

const line = (words: string): string => words.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').slice(0, maxTextLength);

function recipeText({ id, title, description, example, params }: Recipe): string {
  const named = params.map(({ name, type, description: about = '' }) => `${name} (${type}) ${line(about)}`);
  return [
    `- ${id}: ${line(title)}`,
    ...(description === undefined ? [] : [line(description)]),
    ...(example === undefined ? [] : [`Example: ${line(example)}`]),
    ...(named.length > 0 ? [`Parameters: ${named.join('; ')}`] : []),
  ].join('. ');
}

const rules = (recipes: readonly Recipe[]): string => `Choose the recipe that does what the user asks.
${recipes.map(recipeText).join('\n')}
Answer with JSON: {"recipe": the name before the colon, "params": its parameters with values from the user's words, null where there is none}.
If no recipe does what the user asks, answer {"recipe": null, "params": {}}.`;

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

/** LLM/UNAVAILABLE: the model makes no plan, and found no recipe. */
const noneFits = (refusal: AppError): AppError => ({
  ...refusal,
  message: `${refusal.message} It found no recipe for this goal.`,
});

const incomplete = ({ title }: Recipe, error: AppError): AppError => ({
  ...error,
  hint: `The recipe “${title}” could fit. Name what is missing in your message, or choose the recipe with /recipe.`,
});

/**
 * The recipe that a model which makes no plans takes a goal for. It chooses under a grammar; values that the user did
 * not write are left out, so that the defaults of the recipe apply. Nothing may run before the user has reviewed it.
 * `refusal` says why the model makes no plan. LLM/UNAVAILABLE when no recipe fits.
 */
export async function chooseRecipe(planning: Planning, refusal: AppError): Promise<Result<RecipeMatch>> {
  const { request, recipes, models, meter, signal } = planning;
  const offered = candidates(recipes.all, request.goal);
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
  const recipe = offered.find(({ id }) => id === choice?.recipe);
  if (!choice || !recipe) return err(noneFits(refusal));
  const params = Object.entries(choice.params).filter(
    ([, value]) => value !== null && isFromGoal(value, request.goal),
  );
  const match = recipes.byId(recipe.id, Object.fromEntries(params), request.project);
  return match.ok ? ok(match.value) : err(incomplete(recipe, match.error));
}
