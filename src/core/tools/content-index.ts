import { isObject, type Json } from '#shared/json';

/** The text that one party returned, searchable for what it shares with the arguments of a call. */
export interface ContentIndex {
  readonly add: (value: Json) => void;
  /**
   * Whether the arguments contain one whole value of the content, or share a run of 24 characters with it.
   * Also true when there is more content than can be compared.
   */
  readonly sharesWith: (args: Json) => boolean;
  /**
   * Whether a value in the argument is a whole value of the content, or shares a run of 24 characters with it.
   * False when there is more content than is worth the search; only the first 20,000 characters of the argument
   * are compared.
   */
  readonly givesValueOf: (argument: Json) => boolean;
}

/** The shortest run of characters that counts as shared. */
const sharedRun = 24;
const windowLength = 12;
/** Any shared run of 24 characters contains a whole window that starts at a multiple of this. */
const stride = sharedRun - windowLength + 1;
/** Shorter values (`ok`, `true`, `42`) occur everywhere, so they say nothing about where a text comes from. */
const minValueLength = 4;
/** Content beyond this many characters is not compared; every call then counts as sharing. */
const maxContentLength = 4_000_000;
/** Content beyond this many characters is not searched only to say where a value comes from. */
const maxSearchedLength = 1_000_000;
const maxArgumentLength = 20_000;
/** Windows that occur more often than this (rows of dashes, indentation) are compared at the first places only. */
const maxPlaces = 64;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** The texts of a value: its strings, its longer numbers and the names of its members. */
function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (isList(value)) for (const one of value) yield* textsIn(one);
  else if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) {
      yield name;
      yield* textsIn(one);
    }
  }
}

/** The texts and longer numbers of a value, without the names of its members. */
function* scalarsIn(value: Json): Generator<string> {
  if (isList(value)) for (const one of value) yield* scalarsIn(one);
  else if (isObject(value)) for (const one of Object.values(value)) yield* scalarsIn(one);
  else yield* textsIn(value);
}

/** The values that a text consists of: itself, its lines, and what follows `=` or `:` in a line. */
function* valuesIn(text: string): Generator<string> {
  yield text.trim();
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    yield trimmed;
    const at = trimmed.search(/[=:]/);
    if (at > 0) yield trimmed.slice(at + 1).trim();
  }
}

/** Number of characters that two texts share around a place in each; a place outside `one` is shared with none. */
function runAround(one: string, at: number, other: string, otherAt: number): number {
  let before = 0;
  while (before < otherAt && before < sharedRun && one[at - before - 1] === other[otherAt - before - 1])
    before += 1;
  let after = 0;
  while (after < sharedRun && otherAt + after < other.length && one[at + after] === other[otherAt + after])
    after += 1;
  return before + after;
}

interface Span {
  readonly text: string;
  readonly at: number;
}

/** The windows of long texts and the short whole values, both found by how they begin. */
function createLookup() {
  const windows = new Map<string, Span[]>();
  const values = new Map<string, Set<string>>();
  const addWindows = (text: string): void => {
    for (let at = 0; at + windowLength <= text.length; at += stride) {
      const key = text.slice(at, at + windowLength);
      const places = windows.get(key);
      if (!places) windows.set(key, [{ text, at }]);
      else if (places.length < maxPlaces) places.push({ text, at });
    }
  };
  const addValue = (value: string): void => {
    if (value.length < minValueLength || value.length >= sharedRun) return;
    const key = value.slice(0, minValueLength);
    const known = values.get(key);
    if (known) known.add(value);
    else values.set(key, new Set([value]));
  };
  const startsValue = (text: string, at: number): boolean =>
    [...(values.get(text.slice(at, at + minValueLength)) ?? [])].some((value) => text.startsWith(value, at));
  const inRun = (text: string, at: number): boolean =>
    (windows.get(text.slice(at, at + windowLength)) ?? []).some(
      (place) => runAround(place.text, place.at, text, at) >= sharedRun,
    );
  return {
    add: (text: string): void => {
      addWindows(text);
      for (const value of valuesIn(text)) addValue(value);
    },
    /** Whether any place of the text begins a known value or lies in a shared run. */
    isIn: (text: string): boolean => {
      for (let at = 0; at + minValueLength <= text.length; at += 1) {
        if (startsValue(text, at) || inRun(text, at)) return true;
      }
      return false;
    },
    /** Whether the text is a known short value, or lies at any place in a shared run. */
    isValue: (text: string): boolean => {
      if (values.get(text.slice(0, minValueLength))?.has(text) === true) return true;
      for (let at = 0; at + windowLength <= text.length; at += 1) if (inRun(text, at)) return true;
      return false;
    },
  };
}

/** The characters of all indexes that share a limit. */
export interface ContentSize {
  length: number;
}

/** Content is indexed when it is first compared, so a run that uses one party pays nothing. */
export function createContentIndex(size: ContentSize = { length: 0 }): ContentIndex {
  const lookup = createLookup();
  let waiting: string[] = [];
  const index = (): void => {
    for (const text of waiting) lookup.add(text);
    waiting = [];
  };
  return {
    add: (value) => {
      for (const text of textsIn(value)) {
        if (size.length > maxContentLength) return void (waiting = []);
        size.length += text.length;
        waiting.push(text);
      }
    },
    sharesWith: (args) => {
      if (size.length > maxContentLength) return true;
      index();
      for (const text of textsIn(args)) if (lookup.isIn(text)) return true;
      return false;
    },
    givesValueOf: (argument) => {
      if (size.length > maxSearchedLength) return false;
      index();
      let left = maxArgumentLength;
      for (const text of scalarsIn(argument)) {
        if (lookup.isValue(text.slice(0, left).trim())) return true;
        left -= text.length + 1;
        if (left <= 0) return false;
      }
      return false;
    },
  };
}
