import { isObject, type Json, type JsonObject } from '#shared/json';
import { writeTarget } from '#shared/ledger';
import { parseToolUri } from '#shared/tool-name';
import type { ToolDefinition } from '../ports/tool-definition';
import type { TextEdit } from './file-edits';

const fileTools: readonly string[] = [
  'write_file',
  'edit_file',
  'move_file',
  'create_directory',
  'delete_file',
];

const isFileTool = (uri: string): boolean => fileTools.includes(parseToolUri(uri)?.tool ?? '');

/** A path in one spelling: relative to the project if it is in it. */
function plainPath(path: string, project: string | null): string {
  const inside = project !== null && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
  const parts: string[] = [];
  for (const part of inside.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${inside.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

const pathsOf = (args: JsonObject): readonly string[] =>
  ['path', 'source', 'destination'].flatMap((name) => {
    const path = Object.hasOwn(args, name) ? args[name] : undefined;
    return typeof path === 'string' ? [path] : [];
  });

const [fileKey, folderKey] = ['file\n', 'folder\n'];

function fileTargets(args: JsonObject, project: string | null): readonly string[] {
  const paths = pathsOf(args).map((path) => plainPath(path, project));
  // A move takes everything below its source along, if that is a folder.
  const source = 'source' in args ? paths.slice(0, 1) : [];
  return [...paths.map((path) => fileKey + path), ...source.map((path) => folderKey + path)];
}

/** What a write changes, as keys: two writes with a key in common change the same thing. Pure. */
export function targetsOf(tool: string, args: Json, project: string | null): readonly string[] {
  if (isFileTool(tool) && isObject(args)) return fileTargets(args, project);
  const target = writeTarget(args);
  return target === '' || target.endsWith('…') ? [] : [`${tool}\n${target}`];
}

/** Whether a write changes what an earlier one left: the same thing, or a folder that it is in. Pure. */
export function changesTarget(newer: readonly string[], earlier: readonly string[]): boolean {
  const moves = (key: string): string | null =>
    key.startsWith(folderKey) ? `${fileKey}${key.slice(folderKey.length)}/` : null;
  return newer.some((key) => {
    const folder = moves(key);
    return folder === null ? earlier.includes(key) : earlier.some((one) => one.startsWith(folder));
  });
}

/**
 * Whether a write leaves its target in a state that a later write replaces. Not known of a tool that is no file
 * tool and not declared idempotent: each of its calls may add something, such as a comment, and making one
 * again would add it twice.
 */
export const replacesTarget = (
  tool: string,
  { trusted, annotations }: Partial<Pick<ToolDefinition, 'trusted' | 'annotations'>> = {},
): boolean => isFileTool(tool) || (trusted === true && annotations?.['idempotentHint'] === true);

/** What a write does to its target, as far as its arguments say. */
export type WriteEffect =
  /** Its arguments say all that it leaves. */
  | { readonly kind: 'set' | 'remove' }
  | { readonly kind: 'move' }
  | { readonly kind: 'edit'; readonly edits: readonly TextEdit[] };

/** The edits of a call of `edit_file`, as far as they can be read. */
function editsIn(args: Json): readonly TextEdit[] {
  const edits = isObject(args) ? args['edits'] : undefined;
  if (!Array.isArray(edits)) return [];
  return (edits as readonly Json[]).flatMap((edit) => {
    if (!isObject(edit)) return [];
    const { oldText, newText } = edit;
    return typeof oldText === 'string' && typeof newText === 'string' ? [{ oldText, newText }] : [];
  });
}

export function effectOf(tool: string, args: Json): WriteEffect {
  switch (parseToolUri(tool)?.tool) {
    case 'edit_file':
      return { kind: 'edit', edits: editsIn(args) };
    case 'move_file':
      return { kind: 'move' };
    case 'delete_file':
      return { kind: 'remove' };
    default:
      return { kind: 'set' };
  }
}

/** Whether an edit changes what another one wrote, or puts back what it replaced. */
function changesEdit(newer: TextEdit, { oldText, newText }: TextEdit): boolean {
  const wrote = newText !== '' && (newer.oldText.includes(newText) || newText.includes(newer.oldText));
  return wrote || newer.newText.includes(oldText);
}

/**
 * Whether a later write to the same target takes the place of what an earlier one left. A moved file keeps its
 * edits, and an edited one its place. Pure.
 */
export function takesPlaceOf(newer: WriteEffect, earlier: WriteEffect): boolean {
  if (earlier.kind === 'move') return newer.kind === 'move' || newer.kind === 'remove';
  if (earlier.kind !== 'edit') return true;
  if (newer.kind !== 'edit') return newer.kind !== 'move';
  return newer.edits.some((edit) => earlier.edits.some((one) => changesEdit(edit, one)));
}
