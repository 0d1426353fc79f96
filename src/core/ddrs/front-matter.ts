import { isMap, isScalar, parseDocument, stringify, type Document, type Pair } from 'yaml';
import { sameJson } from '#shared/json';
import { err, ok, type Result } from '#shared/result';

/** A text with front matter, split into pieces that concatenate to the original. */
export interface FrontMatter {
  readonly open: string;
  readonly yaml: string;
  readonly close: string;
  readonly body: string;
  /** The file's line ending. */
  readonly eol: string;
}

/** A problem of a text: field, violated rule and reason. */
export interface TextProblem {
  readonly field: string;
  readonly rule: string;
  readonly reason: string;
}

export type FrontMatterValues = Readonly<Record<string, unknown>>;

const fence = /^---[ \t]*\r?\n/;
const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;
/** Limits YAML aliases, which can expand a short text enormously; documents need only a few. */
const maxAliases = 10;
const maxCharacters = 200_000;

const problem = (field: string, rule: string, reason: string) => err<TextProblem>({ field, rule, reason });

/** Splits a text at its `---` lines. */
export function splitFrontMatter(text: string): Result<FrontMatter, TextProblem> {
  const byteOrderMark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const first = fence.exec(text.slice(byteOrderMark.length))?.[0];
  if (first === undefined) {
    return problem('', 'front-matter', 'The first line must be "---", followed by the front matter.');
  }
  const start = byteOrderMark.length + first.length;
  const rest = text.slice(start);
  const end = closing.exec(rest);
  if (end === null) return problem('', 'front-matter', 'The front matter has no closing "---" line.');
  if (end.index > maxCharacters)
    return problem('', 'size', 'The front matter is longer than 200,000 characters.');
  return ok({
    open: text.slice(0, start),
    yaml: rest.slice(0, end.index),
    close: end[0],
    body: rest.slice(end.index + end[0].length),
    eol: first.endsWith('\r\n') ? '\r\n' : '\n',
  });
}

export function joinFrontMatter({ open, yaml, close, body, eol }: FrontMatter): string {
  const end = body === '' || close.endsWith('\n') ? close : `${close}${eol}`;
  return `${open}${yaml}${end}${body}`;
}

const parse = (yaml: string) => parseDocument(yaml, { schema: 'core', prettyErrors: false });

function valuesOf(document: Document.Parsed): FrontMatterValues {
  const values = document.toJS({ maxAliasCount: maxAliases }) as FrontMatterValues | null;
  return values ?? {};
}

/** Reads the values of the front matter; a YAML error names the violated rule. */
export function readFrontMatter(yaml: string): Result<FrontMatterValues, TextProblem> {
  try {
    const document = parse(yaml);
    const [first] = document.errors;
    if (first) return problem('', 'yaml', `The front matter is not valid YAML: ${first.message}`);
    if (document.contents !== null && !isMap(document.contents)) {
      return problem('', 'yaml', 'The front matter must be keys with values.');
    }
    return ok(valuesOf(document));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it cannot be read';
    return problem('', 'yaml', `The front matter is not valid YAML: ${reason}`);
  }
}

interface Block {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Start and end of each key's lines; null when a key does not start at the beginning of a line. */
function blocksOf(yaml: string): readonly Block[] | null {
  const { contents } = parse(yaml);
  if (contents === null) return [];
  if (!isMap(contents) || contents.flow) return null;
  const starts = contents.items.map(({ key }: Pair) =>
    isScalar(key) && key.range ? { key: String(key.value), start: key.range[0] } : null,
  );
  const atLineStart = (start: number): boolean => start === 0 || yaml[start - 1] === '\n';
  if (starts.some((one) => one === null || !atLineStart(one.start))) return null;
  const known = starts.filter((one) => one !== null);
  return known.map((one, index) => ({ ...one, end: known[index + 1]?.start ?? yaml.length }));
}

/** Trailing blank lines and comments of a key's lines belong to no key and are kept. */
function tailOf(block: string): string {
  const lines = block.split(/(?<=\n)/);
  let lineCount = lines.length;
  while (lineCount > 1 && /^(?:#.*)?\s*$/.test(lines[lineCount - 1] ?? '')) lineCount -= 1;
  return lines.slice(lineCount).join('');
}

function written(key: string, value: unknown, eol: string): string {
  return stringify({ [key]: value }, { schema: 'core', lineWidth: 0 }).replaceAll('\n', eol);
}

const withLineEnd = (yaml: string, eol: string): string =>
  yaml === '' || yaml.endsWith('\n') ? yaml : `${yaml}${eol}`;

function edited(parts: FrontMatter, blocks: readonly Block[], changes: FrontMatterValues): string {
  const { yaml, eol } = parts;
  const pieces = [yaml.slice(0, blocks[0]?.start ?? yaml.length)];
  for (const { key, start, end } of blocks) {
    const block = yaml.slice(start, end);
    const value = changes[key];
    if (!Object.hasOwn(changes, key)) pieces.push(block);
    else pieces.push(value === undefined ? '' : written(key, value, eol), tailOf(block));
  }
  const there = new Set(blocks.map(({ key }) => key));
  const added = Object.entries(changes).filter(([key, value]) => !there.has(key) && value !== undefined);
  if (added.length === 0) return pieces.join('');
  return withLineEnd(pieces.join(''), eol) + added.map(([key, value]) => written(key, value, eol)).join('');
}

/**
 * Sets keys and removes those set to `undefined`; keeps every other byte. Rejects a layout in which this is
 * not certain to work (a flow map, keys that share lines) rather than rewriting it.
 */
export function changeFrontMatter(
  parts: FrontMatter,
  changes: FrontMatterValues,
): Result<FrontMatter, TextProblem> {
  const before = readFrontMatter(parts.yaml);
  if (!before.ok) return before;
  const real = Object.fromEntries(
    Object.entries(changes).filter(([key, value]) => !sameJson(before.value[key], value)),
  );
  if (Object.keys(real).length === 0) return ok(parts);
  const blocks = blocksOf(parts.yaml);
  const yaml = blocks === null ? null : edited(parts, blocks, real);
  const after = yaml === null ? null : readFrontMatter(yaml);
  if (yaml === null || !after?.ok || !sameJson(after.value, { ...before.value, ...real })) {
    return problem('', 'layout', 'The front matter must have one key per line before it can be changed.');
  }
  return ok({ ...parts, yaml });
}
