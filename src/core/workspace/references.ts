import type { ConfigProblem } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { FilesRead, WantedFile } from '../ports/workspace-files';
import { expandContext } from './context-groups';
import { parseFile, problem, type Problems } from './parse-file';
import { indexFile, workspaceLimits } from './workspace-limits';
import { PromptPackFile, ToolCatalogFile, type WorkspaceIndex } from './workspace-schemas';

/** Whether a catalog entry is a descriptor file; every other entry is a tool name or a pattern. */
export const isDescriptorFile = (entry: string): boolean => entry.endsWith('.json');
export const isImage = (path: string): boolean => /[.](png|jpe?g|gif|webp)$/i.test(path);
export const templatePath = (ref: PromptPackFile['templates'][number]): string =>
  typeof ref === 'string' ? ref : ref.path;

const wantedAs = (file: string, field: string, path: string): WantedFile => ({
  path,
  kind: isImage(path) ? ('image' as const) : ('text' as const),
  from: { file, field },
});

/** The pack and catalog files that an index names. */
export function indexReferences(index: WorkspaceIndex): readonly WantedFile[] {
  return [
    ...Object.entries(index.promptPacks).map(([id, path]) => wantedAs(indexFile, `promptPacks.${id}`, path)),
    ...Object.entries(index.toolCatalogs).map(([id, path]) =>
      wantedAs(indexFile, `toolCatalogs.${id}`, path),
    ),
  ];
}

/** The templates and context files that a pack names. */
function packReferences(file: string, pack: PromptPackFile, index: WorkspaceIndex): readonly WantedFile[] {
  const templates = pack.templates.map((ref, at) => wantedAs(file, `templates.${at}`, templatePath(ref)));
  const context = expandContext(index, pack.context ?? []);
  return [...templates, ...(context.ok ? context.value : []).map((path) => wantedAs(file, 'context', path))];
}

const catalogReferences = (file: string, catalog: ToolCatalogFile): readonly WantedFile[] =>
  catalog.tools.flatMap((entry, at) =>
    isDescriptorFile(entry) ? [wantedAs(file, `tools.${at}`, entry)] : [],
  );

/**
 * The files that packs and catalogs name. A file that does not parse names none; the check of the snapshot
 * reports it.
 */
export function contentReferences(index: WorkspaceIndex, read: FilesRead): readonly WantedFile[] {
  const from = <T>(path: string, parse: (bytes: Uint8Array) => Result<T, Problems>): readonly T[] => {
    const file = read.get(path);
    const parsed = file && parse(file.bytes);
    return parsed?.ok ? [parsed.value] : [];
  };
  const packs = Object.values(index.promptPacks).flatMap((path) =>
    from(path, (bytes) => parseFile(path, bytes, PromptPackFile)).flatMap((pack) =>
      packReferences(path, pack, index),
    ),
  );
  const catalogs = Object.values(index.toolCatalogs).flatMap((path) =>
    from(path, (bytes) => parseFile(path, bytes, ToolCatalogFile)).flatMap((catalog) =>
      catalogReferences(path, catalog),
    ),
  );
  return [...packs, ...catalogs];
}

function tooMany(count: number): readonly ConfigProblem[] {
  if (count <= workspaceLimits.files) return [];
  const reason = `The workspace names ${count} files; the limit is ${workspaceLimits.files}.`;
  return [problem(indexFile, '', 'count', reason)];
}

/**
 * Returns each file once, in the order of paths, or a problem for each forbidden path with the file that
 * names it.
 */
export function checkReferences(
  wanted: readonly WantedFile[],
): Result<readonly WantedFile[], readonly ConfigProblem[]> {
  const byPath = new Map(wanted.map((file) => [file.path, file]));
  const folded = new Map<string, string>();
  const problems: ConfigProblem[] = [...tooMany(byPath.size)];
  for (const { path, from } of byPath.values()) {
    const reason = pathProblem(path);
    if (reason) problems.push(problem(from.file, from.field, 'path', `${JSON.stringify(path)}: ${reason}`));
    const other = folded.get(path.toLowerCase());
    if (other !== undefined) {
      const text = `"${path}" and "${other}" differ only in case, which some file systems ignore.`;
      problems.push(problem(from.file, from.field, 'case', text));
    }
    folded.set(path.toLowerCase(), path);
  }
  if (problems.length > 0) return err(problems);
  return ok([...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)));
}
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])([.]|$)/i;
const names = /^[\p{L}\p{N}][\p{L}\p{N}._ -]*$/u;

/** The problem with one path segment, as a sentence; null when it is valid. */
function nameProblem(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'It contains an empty name, "." or "..".';
  if (name.startsWith('.')) return 'It names a hidden file.';
  if (!names.test(name)) return 'It contains a character that some file systems do not allow in names.';
  if (/[. ]$/.test(name)) return 'A name in it ends with a dot or a space.';
  return reserved.test(name) ? 'It contains a name that Windows reserves for devices.' : null;
}

/**
 * Paths with ordinary names only, as most paths are; they need no further check except for Windows device
 * names.
 */
const ordinary =
  /^[A-Za-z0-9][A-Za-z0-9_-]*(?:[.][A-Za-z0-9_-]+)*(?:[/][A-Za-z0-9][A-Za-z0-9_-]*(?:[.][A-Za-z0-9_-]+)*)*$/;
const device = /(?:^|[/])(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|$)/i;

/**
 * The reason why a path may not be read, or null when it may: it must stay below the root and mean the same
 * file on every machine.
 */
export function pathProblem(path: string): string | null {
  if (ordinary.test(path) && !device.test(path)) return null;
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return 'It is absolute; paths are relative to the workspace.';
  if (path.includes('\\')) return 'It contains a backslash; separate names with "/".';
  if (path !== path.normalize('NFC')) return 'It is not in Unicode form NFC.';
  return (
    path
      .split('/')
      .map(nameProblem)
      .find((problem) => problem !== null) ?? null
  );
}
