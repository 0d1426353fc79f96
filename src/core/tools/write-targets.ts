import { isObject, type Json, type JsonObject } from '#shared/json';
import { writeTarget } from '#shared/ledger';
import { parseToolUri } from '#shared/tool-name';
import type { ToolDefinition } from '../ports/tool-definition';

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

/** What a write changes, as keys: two writes with a key in common change the same thing. Pure. */
export function targetsOf(tool: string, args: Json, project: string | null): readonly string[] {
  if (isFileTool(tool) && isObject(args))
    return pathsOf(args).map((path) => `file\n${plainPath(path, project)}`);
  const target = writeTarget(args);
  return target === '' || target.endsWith('…') ? [] : [`${tool}\n${target}`];
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
