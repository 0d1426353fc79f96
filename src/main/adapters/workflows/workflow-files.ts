import { readdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import { deepFreeze } from '#shared/deep-freeze';
import { JsonObject } from '#shared/json';
import { repeatedName } from '#shared/json-scan';
import { err, ok, type Result } from '#shared/result';
import { WorkflowDefinition, WorkflowId } from '#shared/workflow';
import type { UnreadableWorkflow } from '../../../core/ports/workflow-store';
import { readText } from '../ddrs/safe-files';
import { codeOf } from '../system/file-error';

/**
 * A workflow's file: every publication and removal, oldest first. The last row states what is published now,
 * so that publishing is one write to one file. No row is ever removed.
 */
export const HistoryFile = z.strictObject({
  schema: z.literal(1),
  rows: z
    .array(
      z.strictObject({
        what: z.enum(['published', 'removed']),
        definition: WorkflowDefinition,
        hash: z.string(),
        decision: z.strictObject({ by: z.string(), at: z.string(), reason: z.string(), ddr: z.string() }),
      }),
    )
    .min(1),
});
export type HistoryFile = z.infer<typeof HistoryFile>;

export const DraftFile = z.strictObject({
  schema: z.literal(1),
  fields: JsonObject,
  basedOn: z.string().nullable(),
  changedAt: z.number(),
});
export type DraftFile = z.infer<typeof DraftFile>;

/** The contents of a folder, by workflow id. An unreadable file does not hide the others. */
export interface FolderContent<T> {
  readonly files: ReadonlyMap<string, T>;
  readonly problems: readonly UnreadableWorkflow[];
}

function parse<S extends z.ZodType>(
  file: string,
  text: string,
  schema: S,
): Result<z.output<S>, ConfigProblem> {
  const wrong = (field: string, rule: string, reason: string) => err({ file, field, rule, reason });
  // An editor may have added a byte order mark.
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return wrong('', 'json', 'It is not JSON.');
  }
  const twice = repeatedName(json);
  if (twice !== null) return wrong('', 'unique', `"${twice.slice(0, 100)}" appears twice in one object.`);
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(deepFreeze(parsed.data));
  const [issue] = parsed.error.issues;
  return wrong(issue?.path.map(String).join('.') ?? '', 'schema', `${issue?.message ?? 'It is not valid'}.`);
}

/** Reads one file of a folder; null when it does not exist. */
export function readFileOf<S extends z.ZodType>(
  folder: string,
  id: string,
  schema: S,
): Result<z.output<S> | null, ConfigProblem> {
  const file = path.join(folder, `${id}.json`);
  const text = readText(file);
  if (!text.ok) return err({ file, field: '', ...text.error });
  return text.value === null ? ok(null) : parse(file, text.value, schema);
}

/** Reads every file of a folder whose name is a workflow id; a missing folder is empty. */
export function readFolder<S extends z.ZodType>(
  folder: string,
  schema: S,
): Result<FolderContent<z.output<S>>> {
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok({ files: new Map(), problems: [] });
    const message = `The workflow folder ${folder} cannot be read (${codeOf(error)}).`;
    return err(appError('HOST', 'STORAGE', message, { hint: 'Make it a folder that you can read.' }));
  }
  const files = new Map<string, z.output<S>>();
  const problems: UnreadableWorkflow[] = [];
  for (const name of [...names].sort()) {
    const id = name.slice(0, -'.json'.length);
    if (!WorkflowId.safeParse(id).success) {
      problems.push({ ...notAnId(folder, name), workflowId: null });
      continue;
    }
    const read: Result<z.output<S> | null, ConfigProblem> = readFileOf(folder, id, schema);
    if (!read.ok) problems.push({ ...read.error, workflowId: id });
    else if (read.value !== null) files.set(id, read.value);
  }
  return ok({ files, problems });
}

/** The name may contain any character, so it is shown in quotes. */
const notAnId = (folder: string, name: string): ConfigProblem => ({
  file: `${folder}${path.sep}${JSON.stringify(name)}`,
  field: '',
  rule: 'file-name',
  reason: 'Its name is not the id of a workflow, as in create_ddr.json.',
});

export const problemError = ({ file, field, reason }: ConfigProblem): AppError =>
  appError('HOST', 'STORAGE', `${path.basename(file)}${field && `, ${field}`}: ${reason}`);
