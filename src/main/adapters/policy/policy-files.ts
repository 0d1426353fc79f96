import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { writeFileSync as writeAtomically } from 'atomically';
import type { z } from 'zod';
import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import { BudgetsFile, type Budgets, type BudgetSettings } from '#shared/budgets';
import { Capabilities } from '#shared/capabilities';
import { err, ok, type Result } from '#shared/result';
import type { PolicyFiles, PolicyWriter } from '../../../core/ports/policy';
import { pathVariable } from '../system/home-folder';
import { checkJson, readJsonFile } from './json-file';

export interface PolicyDeps {
  /** The defaults for everything that a project does not set. */
  readonly seeds: { readonly capabilities: Capabilities; readonly budgets: Budgets };
  readonly env: Readonly<Record<string, string | undefined>>;
}

function invalid(file: string, problems: readonly ConfigProblem[]): AppError {
  const [first] = problems;
  const field = first?.field ? ` ${first.field}:` : '';
  const message = `${file} is not valid:${field} ${first?.reason ?? ''}`;
  return appError('CONFIG', 'INVALID', message, {
    problems: [...problems],
    hint: "Fix the file, or remove it to use Patina's defaults. Until then nothing runs in this project.",
  });
}

/** A file named by an environment variable must exist: a typo there must not fall back to the defaults. */
function read<S extends z.ZodType>(file: string, named: boolean, schema: S): Result<z.output<S> | null> {
  const found = readJsonFile(file, schema);
  if (!found.ok) return err(invalid(file, found.error));
  if (found.value !== null || !named) return ok(found.value);
  return err(
    appError('CONFIG', 'MISSING', `${file} does not exist.`, { hint: 'The environment names this file.' }),
  );
}

function writeJson(file: string, value: object): Result<null> {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeAtomically(file, `${JSON.stringify(value, null, 2)}\n`);
    return ok(null);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return err(appError('HOST', 'STORAGE', `${file} could not be written (${code}).`));
  }
}

/** Merges defined members only: a member set to `undefined` would erase the seed's value. */
function over<T extends object>(seed: T, overrides: object | undefined): T {
  return {
    ...seed,
    ...Object.fromEntries(Object.entries(overrides ?? {}).filter(([, value]) => value !== undefined)),
  };
}

/**
 * `.patina/capabilities.json` (or CAPABILITIES) and `.patina/budgets.json` (or BUDGETS), read from disk on
 * every call. A missing file means the seed's values. An invalid file means CONFIG/INVALID with file, field,
 * rule and reason, and never "allow".
 */
export function createPolicyFiles({ seeds, env }: PolicyDeps): PolicyFiles & PolicyWriter {
  const place = (project: string, variable: string, name: string) => {
    const named = pathVariable(env, variable);
    return named
      ? { file: path.resolve(project, named), named: true }
      : { file: path.join(project, '.patina', name), named: false };
  };
  const budgetSettings = (project: string): Result<BudgetSettings> => {
    const { file, named } = place(project, 'BUDGETS', 'budgets.json');
    const found = read(file, named, BudgetsFile);
    return found.ok ? ok({ file, own: found.value ?? {}, defaults: seeds.budgets }) : found;
  };
  return {
    capabilities(project) {
      const { file, named } = place(project, 'CAPABILITIES', 'capabilities.json');
      const found = read(file, named, Capabilities);
      return found.ok ? ok(found.value ?? seeds.capabilities) : found;
    },
    saveCapabilities(project, capabilities) {
      const { file } = place(project, 'CAPABILITIES', 'capabilities.json');
      return writeJson(file, capabilities);
    },
    budgets(project) {
      const settings = budgetSettings(project);
      if (!settings.ok) return settings;
      const { node, run } = settings.value.own;
      return ok({ node: over(seeds.budgets.node, node), run: over(seeds.budgets.run, run) });
    },
    budgetSettings,
    setBudget(project, { part, field, value }) {
      const settings = budgetSettings(project);
      if (!settings.ok) return settings;
      const { file, own } = settings.value;
      const changed = { ...own, [part]: { ...own[part], [field]: value ?? undefined } };
      const checked = checkJson(file, changed, BudgetsFile);
      if (!checked.ok) return err(invalid(file, checked.error));
      const saved = writeJson(file, checked.value);
      return saved.ok ? ok({ ...settings.value, own: checked.value }) : saved;
    },
  };
}
