import { appError } from '#shared/app-error';
import type { Plan } from '#shared/plan';
import { Recipe, type RecipeParam } from '#shared/recipe';
import type { RecipeCandidate, RecipeDraft, RecipeFinding, SaveRecipeRequest } from '#shared/recipe-draft';
import { err, ok, type Result } from '#shared/result';
import type { RunState } from '#shared/session-state';
import { withoutApprovals } from './insert-approvals';
import { utteranceTokens } from './intent-pattern';
import { asWritten, candidatesOf, isParamName, unquoted, valuesOfGoal, withParams } from './recipe-values';
import type { Names, Value } from './recipe-values';
import { readsSession } from './previous-run';
import { createRecipes, type Recipes } from './recipes';

/** The context of a new recipe: the project that its paths belong to, and the existing recipes. */
export interface RecipeContext {
  readonly project: string;
  readonly there: Pick<Recipes, 'all' | 'match'>;
}

const error = (field: string, message: string, hint: string): RecipeFinding => ({
  field,
  level: 'error',
  message,
  hint,
});
const note = (field: string, message: string): RecipeFinding => ({ field, level: 'note', message });

/** The goal as a pattern with a slot for each value; characters with a meaning in patterns are removed. */
function patternOf(goal: string, names: Names): string {
  const words = (utteranceTokens(goal) ?? []).map((token) => {
    const value = unquoted(token).replace(/,$/, '');
    const name = names.get(value) ?? names.get(asWritten(value)) ?? names.get(Number(value));
    return name === undefined ? value.toLowerCase().replace(/[()[\]{}|]/g, '') : `{${name}}`;
  });
  return words.filter((word) => word !== '').join(' ');
}

const runPhrase = (id: string): string => `run the recipe ${id.replaceAll('_', ' ')}`;

/** Uses the goal's pattern if it matches the goal itself, otherwise a phrase that names the recipe. */
function withPattern(recipe: Recipe, goal: string, pattern: string, project: string): Recipe {
  const tried = { ...recipe, intentPatterns: [pattern] };
  const found = pattern === '' ? null : createRecipes([tried]).match(goal, project);
  if (found?.ok === true && found.value) return { ...tried, example: goal };
  return { ...recipe, intentPatterns: [runPhrase(recipe.id)], example: runPhrase(recipe.id) };
}

/** The reasons why a run cannot become a recipe. */
function unfit({ status, plan, stages = [] }: RunState): readonly RecipeFinding[] {
  if (!plan || status !== 'done')
    return [error('run', 'Only a completed run can become a recipe.', 'Run it again.')];
  if (stages.at(-1)?.look) {
    return [
      error(
        'run',
        'In this run a model wrote the answer after it looked at results, and a recipe runs without one.',
        'Ask for a plan whose answer names the results.',
      ),
    ];
  }
  if (stages.some(({ replaced }) => replaced.length > 0)) {
    return [
      error(
        'run',
        'A later stage of this run replaced steps that had failed, so its stages cannot run again as they are.',
        'Run the goal again, then save that run.',
      ),
    ];
  }
  if (readsSession(plan)) {
    return [
      error(
        'run',
        'This run read something of its session (inputs.previous or inputs.attached), and a recipe has no session.',
        'Let the plan read the files itself, or plan both in one goal.',
      ),
    ];
  }
  const asks = plan.nodes.some(({ kind }) => kind === 'llm') || typeof plan.answer !== 'string';
  return asks
    ? [
        error(
          'run',
          'This run called a model, and a recipe runs without one.',
          'Run a plan that uses scripts only.',
        ),
      ]
    : [];
}

function idFindings(
  { id, title }: SaveRecipeRequest,
  { all }: RecipeContext['there'],
): readonly RecipeFinding[] {
  const found: RecipeFinding[] = [];
  if (!Recipe.shape.id.safeParse(id).success)
    found.push(error('id', `"${id}" is not a valid recipe id.`, 'Use an id like count_todos.'));
  // Two recipes with the same id would make the next startup fail.
  else if (all.some((recipe) => recipe.id === id))
    found.push(error('id', `A recipe ${id} already exists.`, 'Choose another id.'));
  if (title !== undefined && title.trim() === '')
    found.push(error('title', 'The recipe has no title.', 'Describe in a few words what it does.'));
  return found;
}

/** The parameters that steps keep; a recipe parameter of the same name would be hidden by one of them. */
const ownParams = (plan: Plan, moved: ReadonlySet<Value>): ReadonlySet<string> =>
  new Set(
    plan.nodes.flatMap(({ params = {} }) =>
      Object.entries(params).flatMap(([key, value]) => (moved.has(value as Value) ? [] : [key])),
    ),
  );

type FindingText = readonly [message: string, hint: string];

function nameFinding(
  name: string,
  chosen: readonly RecipeCandidate[],
  own: ReadonlySet<string>,
): FindingText | null {
  if (!isParamName(name)) return [`"${name}" is not a valid parameter name.`, 'Use a name like ownerName.'];
  if (chosen.filter((one) => one.name === name).length > 1)
    return ['Two parameters would have the same name.', 'Give each its own name.'];
  return own.has(name)
    ? ['A step of the plan already has a parameter of this name.', 'Choose another name.']
    : null;
}

function fallbackFinding({ type, fallback }: RecipeCandidate): FindingText | null {
  if (type === 'number')
    return typeof fallback === 'number' && Number.isFinite(fallback)
      ? null
      : [`"${fallback}" is not a number.`, 'This value was a number in the run.'];
  return String(fallback).trim() === '' ? ['The default value is empty.', 'Enter a default value.'] : null;
}

function paramFindings(
  plan: Plan,
  candidates: readonly RecipeCandidate[],
  request: SaveRecipeRequest,
): readonly RecipeFinding[] {
  const keys = candidates.map(({ key }) => key);
  const unknownKeys = [
    ...new Set([...Object.keys({ ...request.names, ...request.values }), ...(request.params ?? [])]),
  ];
  const there = keys.length > 0 ? `There are: ${keys.join(', ')}.` : 'There are none.';
  const chosen = candidates.filter((one) => one.chosen);
  const own = ownParams(plan, new Set(chosen.map(({ value }) => value)));
  return [
    ...unknownKeys
      .filter((key) => !keys.includes(key))
      .map((key) => error(`params.${key}`, `The recipe would have no parameter "${key}".`, there)),
    ...chosen.flatMap((one) => {
      const found = nameFinding(one.name, chosen, own) ?? fallbackFinding(one);
      return found ? [error(`params.${one.key}`, ...found)] : [];
    }),
  ];
}

function applyRequest(
  candidates: readonly RecipeCandidate[],
  { names = {}, values = {}, params }: SaveRecipeRequest,
) {
  return candidates.map((one) => ({
    ...one,
    name: (Object.hasOwn(names, one.key) ? names[one.key] : undefined) ?? one.name,
    fallback: (Object.hasOwn(values, one.key) ? values[one.key] : undefined) ?? one.fallback,
    chosen: params ? params.includes(one.key) : one.chosen,
  }));
}

interface RecipeInput {
  readonly run: RunState;
  readonly plan: Plan;
  readonly request: SaveRecipeRequest;
  readonly chosen: readonly RecipeCandidate[];
}

/** The steps of a run in the stages in which they ran; only the last stage has the answer. */
function stagesOf({ stages = [] }: RunState, plan: Plan): Pick<Recipe, 'plan' | 'following'> {
  const plans = stages.map(({ plan: own }, at): Plan => {
    const ids = new Set(own.nodes.map(({ id }) => id));
    const nodes = plan.nodes.filter(({ id }) => ids.has(id));
    return { ...own, nodes, answer: at === stages.length - 1 ? plan.answer : '' };
  });
  const [first = plan, ...following] = plans;
  return { plan: first, ...(following.length > 0 && { following }) };
}

function buildRecipe({ run, plan, request, chosen }: RecipeInput, project: string): Recipe {
  const goal = valuesOfGoal(run.goal);
  const names: Names = new Map(chosen.map(({ value, name }) => [value, name]));
  const { id, title = run.goal.slice(0, 120), description } = request;
  const trimmed = description?.trim();
  const recipe: Recipe = {
    id,
    title: title.trim(),
    intentPatterns: [runPhrase(id)],
    ...(trimmed && { description: trimmed }),
    params: chosen.map(({ name, type, fallback }): RecipeParam => ({
      name,
      type,
      required: false,
      default: fallback,
    })),
    ...stagesOf(run, { ...plan, nodes: plan.nodes.map((node) => withParams(node, goal, names)) }),
  };
  return withPattern(recipe, run.goal, patternOf(run.goal, names), project);
}

/** Notes about the phrase that will start the recipe. */
function patternNotes(
  recipe: Recipe,
  goal: string,
  { project, there }: RecipeContext,
): readonly RecipeFinding[] {
  if (recipe.example !== goal)
    return [
      note('pattern', "The goal itself cannot be a pattern, so a sentence with the recipe's name starts it."),
    ];
  const taken = there.match(goal, project);
  return taken.ok && taken.value
    ? [
        note(
          'pattern',
          `The goal already starts the recipe ${taken.value.recipe.id}, which takes precedence.`,
        ),
      ]
    : [];
}

/** The recipe that a run would become under this request, with all problems that prevent it. */
export function draftRecipe(run: RunState, request: SaveRecipeRequest, place: RecipeContext): RecipeDraft {
  const unfits = unfit(run);
  if (unfits.length > 0 || !run.plan) return { candidates: [], recipe: null, findings: unfits };
  const plan = withoutApprovals(run.plan, run.announces ?? {});
  const candidates = applyRequest(candidatesOf(plan, valuesOfGoal(run.goal)), request);
  const findings = [...idFindings(request, place.there), ...paramFindings(plan, candidates, request)];
  if (findings.length > 0) return { candidates, recipe: null, findings };
  const chosen = candidates.filter((one) => one.chosen);
  const recipe = buildRecipe({ run, plan, request, chosen }, place.project);
  return { candidates, recipe, findings: patternNotes(recipe, run.goal, place) };
}

/**
 * Turns a run into a recipe that needs no model: its plan, with the values that its goal names as parameters
 * (their defaults are the original values). HOST/INVALID_INPUT for a run that was not done or asked a model,
 * and for invalid names; HOST/STATE for an id that is taken.
 */
export function recipeOf(run: RunState, request: SaveRecipeRequest, place: RecipeContext): Result<Recipe> {
  const { recipe, findings } = draftRecipe(run, request, place);
  if (recipe) return ok(recipe);
  const [first] = findings;
  const taken = place.there.all.some(({ id }) => id === request.id) && first?.field === 'id';
  const { message = 'The run cannot become a recipe.', hint = 'Run it again.' } = first ?? {};
  return err(appError('HOST', taken ? 'STATE' : 'INVALID_INPUT', message, { hint }));
}
