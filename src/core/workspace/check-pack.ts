import type { ConfigProblem } from '#shared/app-error';
import { bytesHash } from '../tools/canonical-hash';
import { expandContext } from './context-groups';
import { checkImage } from './image-type';
import { parseFile, problem, textOf } from './parse-file';
import { isImage, templatePath } from './references';
import type { ContextPiece, PromptPack } from './workspace-content';
import { workspaceLimits } from './workspace-limits';
import { MessageParts, PromptPackFile, type WorkspaceIndex } from './workspace-schemas';

/** A snapshot's files and index, and the list that collects its problems. */
export interface Checking {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly index: WorkspaceIndex;
  readonly problems: ConfigProblem[];
}

/** The bytes of a file; reports a problem when the file is missing. */
export function bytesOf({ files, problems }: Checking, path: string, from: string, field: string) {
  const bytes = files.get(path);
  if (!bytes) problems.push(problem(from, field, 'exists', `There is no file ${path}.`));
  return bytes;
}

/** Reports text that a model will read and that imitates the host's own blocks. */
export function checkSpoofing({ problems }: Checking, file: string, field: string, text: string): void {
  const line = findSpoofedHeader(text);
  if (line === null) return;
  const reason = `Line ${line} looks like a block of Patina's own prompt. Reword it.`;
  problems.push(problem(file, field, 'imitates-host', reason));
}

/**
 * Replaces `{{name}}` with its declared value, which is not expanded again. Reports names that are not
 * declared and declarations that are not used. Braces around anything else, `{{#if x}}` or `{{user.name}}`,
 * are plain text.
 */
function fillIn(
  { problems }: Checking,
  place: { readonly file: string; readonly field: string; readonly path: string },
  text: string,
  variables: Readonly<Record<string, string>>,
): string {
  const used = new Set<string>();
  const filled = text.replace(/\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g, (whole, name: string) => {
    used.add(name);
    if (Object.hasOwn(variables, name)) return variables[name] ?? '';
    const reason = `The template uses {{${name}}}, which ${place.file} does not declare. To print {{${name}}} itself, declare it with that value.`;
    problems.push(problem(place.path, name, 'variable', reason));
    return whole;
  });
  for (const name of Object.keys(variables).filter((declared) => !used.has(declared))) {
    problems.push(
      problem(place.file, place.field, 'variable', `${place.path} does not use the variable "${name}".`),
    );
  }
  return filled;
}

function templateText(checking: Checking, path: string, bytes: Uint8Array): string | null {
  const read = path.endsWith('.json') ? parseFile(path, bytes, MessageParts) : textOf(path, bytes);
  if (read.ok) {
    return typeof read.value === 'string'
      ? read.value
      : read.value.parts.map(({ text }) => text).join('\n\n');
  }
  checking.problems.push(...read.error);
  return null;
}

type TemplateRef = PromptPackFile['templates'][number];

function checkTemplate(checking: Checking, file: string, ref: TemplateRef, at: number) {
  const path = templatePath(ref);
  const bytes = bytesOf(checking, path, file, `templates.${at}`);
  const text = bytes ? templateText(checking, path, bytes) : null;
  if (text === null) return [];
  const variables = typeof ref === 'string' ? {} : (ref.variables ?? {});
  const filled = fillIn(checking, { file, path, field: `templates.${at}.variables` }, text, variables);
  checkSpoofing(checking, path, '', filled);
  const kinds = typeof ref === 'string' ? undefined : ref.for;
  return [{ path, text: filled, ...(kinds && { for: kinds }) }];
}

function checkContext(checking: Checking, file: string, path: string): readonly ContextPiece[] {
  const bytes = bytesOf(checking, path, file, 'context');
  if (!bytes) return [];
  if (isImage(path)) {
    const image = checkImage(path, bytes);
    // Copy the bytes, because the original buffer may keep other files in memory that are no longer needed.
    if ('mediaType' in image)
      return [{ kind: 'image', path, ...image, sha256: bytesHash(bytes), content: bytes.slice() }];
    checking.problems.push(problem(path, '', image.rule, image.reason));
    return [];
  }
  const text = textOf(path, bytes);
  if (!text.ok) {
    checking.problems.push(...text.error);
    return [];
  }
  checkSpoofing(checking, path, '', text.value);
  return [{ kind: 'text', path, text: text.value }];
}

/**
 * Limits the total size of a pack's images, because every call sends all of them and providers limit a call.
 */
function checkImageSum({ problems }: Checking, file: string, pieces: readonly ContextPiece[]): void {
  const sizes = pieces.map((each) => (each.kind === 'image' ? each.content.length : 0));
  const { packImageBytes } = workspaceLimits;
  if (sizes.reduce((sum, size) => sum + size, 0) <= packImageBytes) return;
  const reason = `Its images total more than ${packImageBytes / 1_048_576} MB, the limit for one request.`;
  problems.push(problem(file, 'context', 'image-total', reason));
}

/** Reads a pack file with everything it refers to; adds problems to `checking`. */
export function checkPack(checking: Checking, id: string, file: string): PromptPack | null {
  const bytes = bytesOf(checking, file, 'agent.workspace.json', `promptPacks.${id}`);
  const parsed = bytes && parseFile(file, bytes, PromptPackFile);
  if (!parsed) return null;
  if (!parsed.ok) {
    checking.problems.push(...parsed.error);
    return null;
  }
  const pack = parsed.value;
  if (pack.id !== id) {
    checking.problems.push(
      problem(file, 'id', 'id', `The index calls this pack "${id}", the file "${pack.id}".`),
    );
  }
  const context = expandContext(checking.index, pack.context ?? []);
  if (!context.ok)
    checking.problems.push(problem(file, 'context', 'context', `In context: ${context.error}.`));
  const { responseFormat } = pack;
  const pieces = (context.ok ? context.value : []).flatMap((path) => checkContext(checking, file, path));
  checkImageSum(checking, file, pieces);
  return {
    id,
    templates: pack.templates.flatMap((ref, at) => checkTemplate(checking, file, ref, at)),
    context: pieces,
    ...(responseFormat && { responseFormat }),
  };
}

/**
 * How the host's own blocks of a system message begin (AGN-014 §6.2 and the blocks after it). Workspace text
 * with such a line could pose as the host and claim another mode, focus or workflow.
 */
const hostLines = [
  /^current mode:/,
  /^available modes:/,
  /^mode switching:/,
  /^mode instructions:/,
  /^active work context$/,
  /^active workflow\b/,
  /^available workflows\b/,
  /^static context$/,
  /^<\/?(system|system_prompt|developer)>/,
  /^<\|im_(start|end)\|>/,
];

/** Normalizes a line: removes invisible characters, and Markdown marks around the words. */
const plain = (line: string): string =>
  line
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .replace(/^[\s#>*_`~-]+/, '')
    // The lookbehind matches only where a run begins; a retry at each position would take minutes for a line
    // of one megabyte.
    .replace(/(?<![\s*_`~])[\s*_`~]+$/, '')
    .toLowerCase();
/**
 * The number (from 1) of the first line that looks like the beginning of a host block; null when there is
 * none.
 */
function findSpoofedHeader(text: string): number | null {
  const at = text.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/).findIndex((line) => {
    const words = plain(line);
    return hostLines.some((pattern) => pattern.test(words));
  });
  return at === -1 ? null : at + 1;
}
