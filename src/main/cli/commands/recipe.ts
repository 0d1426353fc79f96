import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';
import { readPairs } from '../read-input';
import { runInSession, type AgentOptions, type RunParts } from './agent';

/** `patina recipe list`; a notice reports invalid files. */
export function recipeListCommand(app: Pick<App, 'recipes'>, terminal: Terminal): ExitCode {
  print(terminal, app.recipes(), () =>
    app
      .recipes()
      .map((recipe) => `${recipe.id}  ${recipe.title}${recipe.example ? `  (“${recipe.example}”)` : ''}`)
      .join('\n'),
  );
  return 0;
}

export interface RecipeSaveOptions {
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly turn?: number;
  readonly name: readonly string[];
  /** The values that become parameters; by default, those named in the goal. */
  readonly param: readonly string[];
}

/** `patina recipe save SESSION --id ID`: saves a completed run as a recipe that needs no model. */
export function recipeSaveCommand(
  app: Pick<App, 'recipeSaver'>,
  terminal: Terminal,
  sessionId: string,
  { id, title, description, turn, name, param }: RecipeSaveOptions,
): ExitCode {
  const names = readPairs('--name', name);
  if (!names.ok) return fail(terminal, names.error);
  const saved = app.recipeSaver.save({
    sessionId,
    request: {
      id,
      names: names.value,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(param.length > 0 && { params: [...param] }),
    },
    ...(turn !== undefined && { turn }),
  });
  if (!saved.ok) return fail(terminal, saved.error);
  const { recipe, file } = saved.value;
  print(terminal, saved.value, () =>
    [
      `Saved as ${recipe.id} in ${file}.`,
      ...recipe.params.map(
        ({ name: param, type, default: value }) => `  ${param} (${type}): ${JSON.stringify(value)}`,
      ),
      `Run it with: patina recipe run ${recipe.id}`,
    ].join('\n'),
  );
  return 0;
}

export interface RecipeRunOptions extends AgentOptions {
  readonly param: readonly string[];
}

/** `patina recipe run ID --param k=v`: runs the plan of a recipe without a model. */
export async function recipeRunCommand(
  app: RunParts & Pick<App, 'recipeProblem' | 'recipes'>,
  terminal: Terminal,
  recipeId: string,
  options: RecipeRunOptions,
): Promise<ExitCode> {
  const params = readPairs('--param', options.param);
  if (!params.ok) return fail(terminal, params.error);
  const { session, approve, review, fresh } = options;
  // A recipe that cannot run leaves no session behind.
  const problem = app.recipeProblem(recipeId, params.value, session);
  if (problem) return fail(terminal, problem);
  const title = app.recipes().find((recipe) => recipe.id === recipeId)?.title ?? recipeId;
  return runInSession(app, terminal, {
    goal: title,
    session,
    approve,
    review,
    fresh,
    provided: { recipeId, params: params.value },
  });
}
