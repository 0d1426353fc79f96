import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { appError, type ConfigProblem } from '#shared/app-error';
import { Budgets } from '#shared/budgets';
import { Capabilities } from '#shared/capabilities';
import { Recipe } from '#shared/recipe';
import { err, ok, type Result } from '#shared/result';
import { readJsonFile } from '../policy/json-file';

/** The data Patina starts with, checked and frozen. */
export interface Seeds {
  /** By id, in code-unit order. */
  readonly recipes: readonly Recipe[];
  readonly capabilities: Capabilities;
  readonly budgets: Budgets;
  /** The prompt every request begins with. */
  readonly basePrompt: string;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

function listRows(folder: string): Result<readonly string[], ConfigProblem> {
  try {
    return ok(
      readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .sort(),
    );
  } catch {
    return err({ file: folder, field: '', rule: 'readable', reason: 'The folder cannot be read.' });
  }
}

function readText(file: string): Result<string, ConfigProblem> {
  try {
    return ok(readFileSync(file, 'utf8'));
  } catch {
    return err({ file, field: '', rule: 'exists', reason: 'The file cannot be read.' });
  }
}

/** `seeds/` as a whole; everything wrong with it at once is one CONFIG/INVALID with a problem per field. */
export function readSeeds(folder: string): Result<Seeds> {
  const problems: ConfigProblem[] = [];
  const read = <S extends z.ZodType>(name: string, schema: S): z.output<S> | null => {
    const file = path.join(folder, name);
    const found = readJsonFile(file, schema);
    if (!found.ok) problems.push(...found.error);
    else if (found.value === null)
      problems.push({ file, field: '', rule: 'exists', reason: 'The file is missing.' });
    return found.ok ? found.value : null;
  };
  const names = listRows(path.join(folder, 'recipes'));
  if (!names.ok) problems.push(names.error);
  const recipes = (names.ok ? names.value : []).flatMap((name) => {
    const recipe = read(path.join('recipes', name), Recipe);
    if (recipe && `${recipe.id}.json` !== name) {
      const file = path.join(folder, 'recipes', name);
      problems.push({
        file,
        field: 'id',
        rule: 'file-name',
        reason: `The file of "${recipe.id}" is named ${name}.`,
      });
    }
    return recipe ?? [];
  });
  const capabilities = read('capabilities.json', Capabilities);
  const budgets = read('budgets.json', Budgets);
  const basePrompt = readText(path.join(folder, 'workspace/prompts/base.md'));
  if (!basePrompt.ok) problems.push(basePrompt.error);
  if (problems.length === 0 && capabilities && budgets && basePrompt.ok) {
    return ok(freeze({ recipes, capabilities, budgets, basePrompt: basePrompt.value }));
  }
  const lines = problems.map(
    ({ file, field, reason }) => `${path.relative(folder, file)} ${field}: ${reason}`,
  );
  const message = `The data Patina starts with is not valid.\n${lines.join('\n')}`;
  return err(appError('CONFIG', 'INVALID', message, { problems }));
}
