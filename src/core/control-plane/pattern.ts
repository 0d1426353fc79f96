import { err, ok, type Result } from '#shared/result';
import { foldedWords } from './fold';
import { isCodeToken } from './utterance';
import { wordClasses } from './word-classes';

/** Which matches a slot allows: ids, names (exact), two words or quoted (exact), or every tier. */
export type SlotScope = 'id' | 'id-with-digit' | 'phrase' | 'name' | 'any';
const slotScopes: readonly string[] = ['id', 'phrase', 'name', 'any'] satisfies readonly SlotScope[];

export interface PatternNouns {
  readonly one: readonly string[];
  readonly many: readonly string[];
}

/** A pattern as a tree, which is never expanded into all the lines it matches. */
export type Part =
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'slot' }
  | { readonly kind: 'choice'; readonly options: readonly (readonly Part[])[] };

/** The parts before and after a slot; without a slot, all parts are in `before`. */
export interface Split {
  readonly before: readonly Part[];
  readonly slot: boolean;
  readonly after: readonly Part[];
}

export interface ParsedPattern {
  readonly splits: readonly Split[];
  /** The number of forms that it matches. */
  readonly count: number;
  /** The scope declared for its slot, if any. */
  readonly scope?: SlotScope;
  readonly question: boolean;
}

export interface PatternFault {
  readonly rule: 'malformed-pattern' | 'two-slots' | 'unreachable-pattern' | 'too-many-forms' | 'no-noun';
  readonly reason: string;
}

/** A command with more forms than this is a mistake or an attack. */
export const maxForms = 5_000;
const maxPatternLength = 2_000;

const fault = (rule: PatternFault['rule'], reason: string) => err<PatternFault>({ rule, reason });
const token = /\{[^{}]*\}|[[\]()|:]|[^\s[\]()|{}:]+|\S/gu;

interface Reading {
  readonly tokens: readonly string[];
  readonly nouns: PatternNouns | undefined;
  at: number;
  scope: SlotScope | undefined;
}

type Parsed<T> = Result<T, PatternFault>;

const words = (phrase: string): Part => ({ kind: 'word', words: foldedWords(phrase) });
/** Caches parsed word lists, because hundreds of patterns share the same few. */
const listsRead = new WeakMap<readonly string[], Part>();

function oneOf(phrases: readonly string[]): Part {
  const known = listsRead.get(phrases);
  if (known) return known;
  const part: Part = { kind: 'choice', options: phrases.map((phrase) => [words(phrase)]) };
  listsRead.set(phrases, part);
  return part;
}

function readNoun(name: 'noun' | 'nouns', nouns: PatternNouns | undefined): Parsed<Part> {
  const list = (name === 'noun' ? nouns?.one : nouns?.many) ?? [];
  return list.length > 0
    ? ok(oneOf(list))
    : fault('no-noun', `{${name}} is used, but its source has no such words.`);
}

/** Reads `{item}` or `{item:scope}`; undefined for any other name. */
function readSlot(reading: Reading, name: string): Part | undefined {
  if (name === 'item') return { kind: 'slot' };
  const scope = name.startsWith('item:') ? name.slice('item:'.length) : '';
  if (!slotScopes.includes(scope)) return undefined;
  reading.scope = scope as SlotScope;
  return { kind: 'slot' };
}

function readBraces(reading: Reading, name: string): Parsed<Part> {
  if (name === 'noun' || name === 'nouns') return readNoun(name, reading.nouns);
  const slot = readSlot(reading, name);
  if (slot) return ok(slot);
  const list = Object.hasOwn(wordClasses, name) ? wordClasses[name] : undefined;
  return list ? ok(oneOf(list)) : fault('malformed-pattern', `{${name}} is not a known placeholder.`);
}

/** A colon belongs to the word before it. */
function withColon(part: Part | undefined): Parsed<Part> {
  if (part?.kind === 'word') {
    const { words: before } = part;
    return ok({ kind: 'word', words: [...before.slice(0, -1), `${before.at(-1) ?? ''}:`] });
  }
  if (part?.kind !== 'choice') return fault('malformed-pattern', 'A colon must follow a word.');
  const options: (readonly Part[])[] = [];
  for (const option of part.options) {
    const last = withColon(option.at(-1));
    if (!last.ok) return last;
    options.push([...option.slice(0, -1), last.value]);
  }
  return ok({ kind: 'choice', options });
}

function readWord(text: string): Parsed<Part> {
  if (isCodeToken(text) || /[,"?!]/u.test(text))
    return fault('unreachable-pattern', `“${text}” can never be a word of a command.`);
  const part = words(text);
  return part.kind === 'word' && part.words.length === 0
    ? fault('unreachable-pattern', `“${text}” has no letter or digit.`)
    : ok(part);
}

function readGroup(reading: Reading, close: ')' | ']'): Parsed<Part> {
  const options: (readonly Part[])[] = close === ']' ? [[]] : [];
  for (;;) {
    const inner = readSequence(reading);
    if (!inner.ok) return inner;
    if (inner.value.length === 0) return fault('malformed-pattern', 'A group has an empty alternative.');
    options.push(inner.value);
    const next = reading.tokens[reading.at++];
    if (next === close) return ok({ kind: 'choice', options });
    if (next !== '|') return fault('malformed-pattern', `A group is not closed by “${close}”.`);
  }
}

function readPart(reading: Reading, text: string): Parsed<Part> {
  if (text === '(') return readGroup(reading, ')');
  if (text === '[') return readGroup(reading, ']');
  if (/^\{.*\}$/u.test(text)) return readBraces(reading, text.slice(1, -1));
  if (text === '{' || text === '}') return fault('malformed-pattern', 'A brace has no partner.');
  return readWord(text);
}

function readSequence(reading: Reading): Parsed<readonly Part[]> {
  const parts: Part[] = [];
  for (;;) {
    const text = reading.tokens[reading.at];
    if (text === undefined || text === ')' || text === ']' || text === '|') return ok(parts);
    reading.at += 1;
    const part = text === ':' ? withColon(parts.pop()) : readPart(reading, text);
    if (!part.ok) return part;
    parts.push(part.value);
  }
}

function countForms(parts: readonly Part[]): number {
  return parts.reduce(
    (product, part) =>
      part.kind === 'choice'
        ? product * part.options.reduce((sum, option) => sum + countForms(option), 0)
        : product,
    1,
  );
}

const hasSlot = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.kind === 'slot' || (part.kind === 'choice' && part.options.some(hasSlot)));

/** The maximum number of slots on one path. */
function countSlots(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => {
    if (part.kind === 'choice') return sum + Math.max(...part.options.map(countSlots));
    return sum + (part.kind === 'slot' ? 1 : 0);
  }, 0);
}

/** Whether some path has no word. */
function wordless(parts: readonly Part[]): boolean {
  return parts.every(
    (part) => part.kind === 'slot' || (part.kind === 'choice' && part.options.some(wordless)),
  );
}

/** Expands the choices that contain the slot, and only those. */
function split(parts: readonly Part[]): readonly Split[] {
  const at = parts.findIndex((part) => hasSlot([part]));
  const part = parts[at];
  if (part?.kind === 'choice') {
    const [head, tail] = [parts.slice(0, at), parts.slice(at + 1)];
    return part.options.flatMap((option) => split([...head, ...option, ...tail]));
  }
  if (!part) return [{ before: parts, slot: false, after: [] }];
  return [{ before: parts.slice(0, at), slot: true, after: parts.slice(at + 1) }];
}

function check(parts: readonly Part[]): PatternFault | undefined {
  const count = countForms(parts);
  if (count > maxForms) {
    const reason = `It has ${count} variants; at most ${maxForms} are allowed.`;
    return { rule: 'too-many-forms', reason };
  }
  if (countSlots(parts) > 1)
    return { rule: 'two-slots', reason: 'A command has one parameter: a pattern has one {item} at most.' };
  if (wordless(parts))
    return {
      rule: 'unreachable-pattern',
      reason: 'One variant has no literal word, so it would match anything.',
    };
  return undefined;
}

/**
 * Parses a pattern of a command's row (AGN-000037 §6), with the nouns of its source, into a tree. Fails with
 * the rule that the pattern breaks.
 */
export function parsePattern(pattern: string, nouns: PatternNouns | undefined): Parsed<ParsedPattern> {
  if (pattern.length > maxPatternLength)
    return fault('malformed-pattern', `It is longer than ${maxPatternLength} characters.`);
  const trimmed = pattern.trim();
  const question = trimmed.endsWith('?');
  const tokens = (question ? trimmed.slice(0, -1) : trimmed).match(token) ?? [];
  const reading: Reading = { tokens, nouns, at: 0, scope: undefined };
  const parts = readSequence(reading);
  if (!parts.ok) return parts;
  if (reading.at < tokens.length)
    return fault('malformed-pattern', `“${tokens[reading.at] ?? ''}” has no matching opening bracket.`);
  const wrong = check(parts.value);
  if (wrong) return err(wrong);
  const count = countForms(parts.value);
  const { scope } = reading;
  return ok({ splits: split(parts.value), count, question, ...(scope === undefined ? {} : { scope }) });
}
