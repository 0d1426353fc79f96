import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import { Provider, ProvidersFile } from '#shared/model';
import { reservedIds } from '#shared/provider-row';
import { err, ok, type Result } from '#shared/result';
import { writePrivateFile } from '../secrets/private-file';
import { readAddress } from './address';

export const environmentProviderId = 'environment';
export const anthropicEnvironmentId = 'environment-anthropic';

const maxFileBytes = 1024 * 1024;

/** `PATINA_HOME/providers.json`. A missing file means no providers; an invalid file is never overwritten. */
export type ProviderFile = ReturnType<typeof createProviderFile>;

/** A save preserves unknown members of the file and of its entries. */
const RawFile = z.looseObject({ providers: z.array(z.looseObject({ id: z.string() })) });
type RawFile = z.infer<typeof RawFile>;

export function createProviderFile({ home }: { readonly home: string }) {
  const file = path.join(home, 'providers.json');
  const change = (edit: (raw: RawFile) => RawFile['providers']): Result<null> => {
    const raw = readRaw(file);
    if (!raw.ok) return raw;
    const next = { ...raw.value, providers: edit(raw.value) };
    const checked = check(file, next);
    if (!checked.ok) return checked;
    try {
      writePrivateFile(file, `${JSON.stringify(next, null, 2)}\n`);
      return ok(null);
    } catch (error) {
      return err(unwritable(file, error));
    }
  };
  return {
    path: file,
    /** Errors: CONFIG/INVALID with a finding for each invalid field. */
    read(): Result<readonly Provider[]> {
      const raw = readRaw(file);
      return raw.ok ? check(file, raw.value) : raw;
    },
    /** Adds the provider or replaces the one with its id. Errors: as `read`, and HOST/STORAGE. */
    save: (provider: Provider): Result<null> =>
      change(({ providers }) => {
        const at = providers.findIndex(({ id }) => id === provider.id);
        if (at < 0) return [...providers, provider];
        return providers.with(at, { ...withoutOptional(providers[at]), ...provider });
      }),
    remove: (id: string): Result<null> =>
      change(({ providers }) => providers.filter((provider) => provider.id !== id)),
  };
}

const optionalMembers = Object.keys(Provider.shape).map((name) => [name, undefined] as const);

/** A replaced entry keeps its unknown members, but not optional members that the new entry omits. */
function withoutOptional(entry: RawFile['providers'][number] | undefined): object {
  return { ...entry, ...Object.fromEntries(optionalMembers) };
}

function readRaw(file: string): Result<RawFile> {
  const text = readText(file);
  if (!text.ok) return text;
  if (text.value === null) return ok({ providers: [] });
  let value: unknown;
  try {
    value = JSON.parse(text.value);
  } catch {
    const problem = { file, field: '', rule: 'json', reason: 'It is not valid JSON.' };
    return err(invalid(file, [problem]));
  }
  const checked = check(file, value);
  return checked.ok ? ok(RawFile.parse(value)) : checked;
}

function readText(file: string): Result<string | null> {
  try {
    if (statSync(file).size > maxFileBytes) {
      const problem = { file, field: '', rule: 'size', reason: 'It is larger than 1 MB.' };
      return err(invalid(file, [problem]));
    }
    return ok(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    if (isMissing(error)) return ok(null);
    const problem = { file, field: '', rule: 'readable', reason: 'It cannot be read as a file.' };
    return err(invalid(file, [problem]));
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function check(file: string, value: unknown): Result<readonly Provider[]> {
  const parsed = ProvidersFile.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({
      file,
      field: fieldName(issue.path),
      rule: issue.code,
      reason: issue.message,
    }));
    return err(invalid(file, problems));
  }
  const problems = parsed.data.providers.flatMap((provider, index, all) =>
    entryProblems(provider, index, all).map((problem) => ({ file, ...problem })),
  );
  return problems.length === 0 ? ok(parsed.data.providers) : err(invalid(file, problems));
}

function entryProblems(
  provider: Provider,
  index: number,
  all: readonly Provider[],
): Omit<ConfigProblem, 'file'>[] {
  const field = (name: string) => fieldName(['providers', index, name]);
  const address = readAddress(provider.baseUrl);
  return [
    ...(address.ok ? [] : [{ field: field('baseUrl'), rule: 'address', reason: address.error.message }]),
    ...(reservedIds.has(provider.id)
      ? [{ field: field('id'), rule: 'reserved', reason: `The id "${provider.id}" is reserved by Patina.` }]
      : []),
    ...(all.findIndex(({ id }) => id === provider.id) < index
      ? [{ field: field('id'), rule: 'unique', reason: `"${provider.id}" appears twice.` }]
      : []),
  ];
}

/** `providers[0].baseUrl` */
function fieldName(segments: readonly PropertyKey[]): string {
  return segments
    .map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${String(segment)}`))
    .join('')
    .replace(/^\./, '');
}

function invalid(file: string, problems: ConfigProblem[]): AppError {
  const [first] = problems;
  const where = first === undefined || first.field === '' ? '' : ` ${first.field}:`;
  return appError('CONFIG', 'INVALID', `providers.json is not valid.${where} ${first?.reason ?? ''}`.trim(), {
    hint: `Fix ${file}: Patina does not change it until it is valid. Or choose another model, or Offline, in the model picker.`,
    problems,
  });
}

function unwritable(file: string, error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return appError('HOST', 'STORAGE', `providers.json could not be saved (${code}).`, {
    hint: `Check that ${path.dirname(file)} can be written and the disk has room.`,
    retryable: true,
  });
}
