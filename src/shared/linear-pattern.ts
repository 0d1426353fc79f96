import { RE2JS } from 're2js';
import { err, ok, type Result } from './result';

/** A JSON Schema pattern that matches in time linear in the text, whoever wrote the pattern. */
export interface LinearPattern {
  readonly test: (text: string) => boolean;
  /** Maximum work per character of text. */
  readonly size: number;
}

/** Why a pattern is rejected: it is invalid, or only a backtracking engine could run it. */
export type PatternProblem = 'invalid' | 'unsupported';

export interface TranslatedPattern {
  /** The pattern in RE2 syntax. */
  readonly source: string;
  /**
   * Length with all repetitions expanded, and once for each class what it lists; known before anything is compiled.
   */
  readonly size: number;
}

const maxCharacters = 1_000;
/** What compiling a property such as `\p{L}` costs, in characters: it stands for hundreds of ranges. */
const propertySize = 20;
/** RE2 expands repetitions, so `(x{100}){10}` costs as much as a thousand characters. */
const maxSize = 2_000;

/** The characters of `\s` in ECMA-262; in RE2 it covers only ASCII spaces. */
const spaces =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const sharedEscapes = {
  t: '\\t',
  n: '\\n',
  r: '\\r',
  f: '\\f',
  v: '\\v',
  '0': '\\x00',
  d: '\\d',
  D: '\\D',
  w: '\\w',
  W: '\\W',
};
const escapes: Readonly<Record<string, string | null>> = {
  ...sharedEscapes,
  s: `[${spaces}]`,
  S: `[^${spaces}]`,
  b: '\\b',
  B: '\\B',
};
/** A class cannot contain the complement of another class as a single list of ranges. */
const classEscapes: Readonly<Record<string, string | null>> = {
  ...sharedEscapes,
  s: spaces,
  S: null,
  b: '\\x08',
};

interface Scan {
  readonly pattern: string;
  at: number;
  out: string;
  /** Size of what its classes and properties list, which is compiled once however often it repeats. */
  listed: number;
}

interface Group {
  total: number;
  last: number;
}

const hexEscape = (code: number): string => `\\x{${code.toString(16)}}`;

/** `\u0041`, `\u{1F600}`, `\x41` and `\cA` at `at`, as a code point and where they end; null for others. */
function codeEscape(pattern: string, at: number): { readonly code: number; readonly end: number } | null {
  const rest = pattern.slice(at, at + 24);
  const pair = /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i.exec(rest);
  if (pair) {
    const [whole, high = '', low = ''] = pair;
    const code = (parseInt(high, 16) - 0xd800) * 0x400 + parseInt(low, 16) - 0xdc00 + 0x10000;
    return { code, end: at + whole.length };
  }
  const hex = /^\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/i.exec(rest);
  if (hex) return { code: parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16), end: at + hex[0].length };
  const control = /^\\c([a-z])/i.exec(rest);
  return control ? { code: (control[1] ?? '').charCodeAt(0) % 32, end: at + 3 } : null;
}

/** Translates `\p{L}`, `\p{Letter}`, `\p{Script=Greek}` to RE2 syntax. */
function property(scan: Scan): string | null {
  const found = /^\\([pP])\{(?:(?:Script|sc|General_Category|gc)=)?(\w{1,40})\}/.exec(
    scan.pattern.slice(scan.at, scan.at + 80),
  );
  if (!found) return null;
  scan.at += found[0].length;
  scan.listed += found[1] === 'P' ? 2 * propertySize : propertySize;
  return `\\${found[1]}{${found[2]}}`;
}

/** Translates one escape to RE2 syntax; null when only a backtracking engine supports it. */
function escape(scan: Scan, inClass: boolean): string | null {
  const { pattern, at } = scan;
  const sign = pattern[at + 1] ?? '';
  const code = codeEscape(pattern, at);
  if (code) {
    scan.at = code.end;
    return hexEscape(code.code);
  }
  if (sign === 'p' || sign === 'P') return property(scan);
  scan.at += 2;
  if (/[1-9k]/.test(sign)) return null;
  const known = inClass ? classEscapes : escapes;
  return Object.hasOwn(known, sign) ? (known[sign] ?? null) : literal(sign);
}

const literal = (sign: string): string => (/[A-Za-z0-9_]/.test(sign) ? sign : `\\${sign}`);

function characterClass(scan: Scan): string | null {
  const negated = scan.pattern[scan.at + 1] === '^';
  scan.at += negated ? 2 : 1;
  // In ECMA-262, `[]` matches nothing and `[^]` matches anything.
  if (scan.pattern[scan.at] === ']') {
    scan.at += 1;
    return negated ? '[\\x{0}-\\x{10ffff}]' : '[^\\x{0}-\\x{10ffff}]';
  }
  let out = negated ? '[^' : '[';
  while (scan.at < scan.pattern.length && scan.pattern[scan.at] !== ']') {
    const sign = scan.pattern[scan.at] ?? '';
    scan.listed += 1;
    if (sign === '\\') {
      const escaped = escape(scan, true);
      if (escaped === null) return null;
      out += escaped;
    } else {
      out += sign === '[' ? '\\[' : sign;
      scan.at += 1;
    }
  }
  scan.at += 1;
  return `${out}]`;
}

/** Scans `{2,5}`, `{2,}`, `*`, `+` or `?` after an atom; returns how often RE2 expands the atom. */
function quantifier(scan: Scan): number | null {
  const found = /^(?:[*+?]|\{(\d{1,9})(?:,(\d{0,9}))?\})\??/.exec(scan.pattern.slice(scan.at, scan.at + 24));
  if (!found) return null;
  scan.at += found[0].length;
  scan.out += found[0];
  return Math.max(1, Number(found[1] ?? 1), Number(found[2] ?? 0) || 0) + (found[2] === '' ? 1 : 0);
}

/** Translates a group's opening to RE2 syntax; null for lookaround assertions. */
function groupStart(scan: Scan): string | null {
  const found = /^\((?:\?:|\?<([A-Za-z_]\w*)>|(?!\?))/.exec(scan.pattern.slice(scan.at, scan.at + 200));
  if (!found) return null;
  scan.at += found[0].length;
  return '(?:';
}

function atom(scan: Scan): string | null {
  const sign = scan.pattern[scan.at] ?? '';
  if (sign === '\\') return escape(scan, false);
  if (sign === '[') return characterClass(scan);
  scan.at += sign.length;
  if (sign === '.') return '[^\\n\\r\\x{2028}\\x{2029}]';
  // An unpaired bracket is a literal in patterns without the Unicode flag.
  return /[\]{}]/.test(sign) ? `\\${sign}` : sign;
}

function step(scan: Scan, groups: Group[]): boolean {
  const group = groups.at(-1);
  const sign = scan.pattern[scan.at];
  if (!group) return false;
  if (sign === '(') {
    const start = groupStart(scan);
    if (start === null) return false;
    scan.out += start;
    groups.push({ total: 0, last: 0 });
    return true;
  }
  if (sign === ')') {
    scan.at += 1;
    scan.out += ')';
    groups.pop();
    const outer = groups.at(-1);
    if (outer) add(outer, group.total + 2);
    return outer !== undefined;
  }
  const times = quantifier(scan);
  if (times !== null) {
    group.total += group.last * (times - 1);
    return true;
  }
  const text = atom(scan);
  scan.out += text ?? '';
  add(group, 1);
  return text !== null;
}

function add(group: Group, size: number): void {
  group.total += size;
  group.last = size;
}

function isPattern(pattern: string): boolean {
  try {
    // Only parses the pattern; it never runs, so it cannot take long.
    new RegExp(pattern, 'u');
    return true;
  } catch {
    try {
      new RegExp(pattern);
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * Translates an ECMA-262 pattern to RE2 and computes its size. `unsupported`: it uses lookaround or
 * backreferences, or exceeds the size limit. Linear in the pattern; compiles nothing.
 */
export function translatePattern(pattern: string): Result<TranslatedPattern, PatternProblem> {
  if (pattern.length > maxCharacters) return err('unsupported');
  if (!isPattern(pattern)) return err('invalid');
  const scan: Scan = { pattern, at: 0, out: '', listed: 0 };
  const groups: Group[] = [{ total: 1, last: 0 }];
  while (scan.at < pattern.length) if (!step(scan, groups)) return err('unsupported');
  const size = (groups[0]?.total ?? 0) + scan.listed;
  return size > maxSize ? err('unsupported') : ok({ source: scan.out, size });
}

/** Compiles a pattern. Matching takes time linear in text length times `size`. */
export function compilePattern(pattern: string): Result<LinearPattern, PatternProblem> {
  const translated = translatePattern(pattern);
  if (!translated.ok) return translated;
  try {
    const compiled = RE2JS.compile(translated.value.source);
    return ok({ test: (text) => compiled.test(text), size: Math.max(1, compiled.programSize()) });
  } catch {
    return err('unsupported');
  }
}
