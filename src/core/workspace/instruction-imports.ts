/** Hops from a `CLAUDE.md` to what it imports, as its own tool allows. */
export const maxImportHops = 5;

/** `@docs/style.md` at the beginning of a word; the final mark of a sentence does not belong to it. */
const mention = /(?:^|[\s(])@([\w.-][\w./-]*\w)/gu;

/** The text without code blocks and code spans, where an `@` imports nothing. */
function prose(text: string): string {
  let fence = '';
  const lines = text.split(/\r?\n/).map((line) => {
    const [fenceMarker = ''] = /^\s*(?:```|~~~)/.exec(line) ?? [];
    const inside = fence !== '';
    if (!inside && fenceMarker) fence = fenceMarker.trim();
    else if (inside && fenceMarker.trim() === fence) fence = '';
    return inside || fenceMarker ? '' : line.replace(/`[^`]*`/g, '');
  });
  return lines.join('\n');
}

/** A path without `.` and inner `..`; leading `..` stay. */
function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

/** Whether the `@` mentions of a file are imports. */
export const importsFiles = (path: string): boolean => /(?:^|\/)CLAUDE\.md$/.test(path);

/** The files that a text imports with `@path`, relative to the project, in the order of the text. Pure. */
export function importsOf(path: string, text: string): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const targets = [...prose(text).matchAll(mention)].map(([, target = '']) => normalized(folder + target));
  return [...new Set(targets)].filter((target) => target !== '' && target !== path);
}

/**
 * The files with those that they import right after them, each once; files beyond the hops are left out. Pure.
 * `textOf`: null for a file that is not there.
 */
export function withImports(
  paths: readonly string[],
  textOf: (path: string) => string | null,
): readonly string[] {
  const used = new Set<string>();
  const add = (path: string, hops: number, imports: boolean): void => {
    const text = used.has(path) ? null : textOf(path);
    if (text === null) return;
    used.add(path);
    if (imports && hops > 0) for (const target of importsOf(path, text)) add(target, hops - 1, true);
  };
  for (const path of paths) add(path, maxImportHops, importsFiles(path));
  return [...used];
}
