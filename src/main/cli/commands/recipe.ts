import { appError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';
import { runInSession, type AgentOptions } from './agent';

export function recipeListCommand(app: App, terminal: Terminal): ExitCode {
  print(terminal, app.recipes, () =>
    app.recipes
      .map((recipe) => `${recipe.id}  ${recipe.title}${recipe.example ? `  (“${recipe.example}”)` : ''}`)
      .join('\n'),
  );
  return 0;
}

function readParams(pairs: readonly string[]): Result<Record<string, Json>> {
  const bad = pairs.find((pair) => !/^[^=]+=/.test(pair));
  if (bad !== undefined)
    return err(appError('HOST', 'INVALID_INPUT', `--param ${bad}: write it as name=value.`));
  return ok(
    Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
  );
}

export interface RecipeRunOptions extends AgentOptions {
  readonly param: readonly string[];
}

/** `patina recipe run ID --param k=v`: the plan of a recipe, with no model. */
export async function recipeRunCommand(
  app: App,
  terminal: Terminal,
  recipeId: string,
  options: RecipeRunOptions,
): Promise<ExitCode> {
  const params = readParams(options.param);
  if (!params.ok) return fail(terminal, params.error);
  const title = app.recipes.find((recipe) => recipe.id === recipeId)?.title ?? recipeId;
  const { session, approve, fresh } = options;
  return runInSession(app, terminal, {
    goal: title,
    session,
    approve,
    fresh,
    given: { recipeId, params: params.value },
  });
}
