/** Maximum nesting of a JSON text, because readers recurse; legitimate values are less deep. */
export const maxNesting = 500;

/** End of the string that starts at a quote: its closing quote, or the end of the text. */
function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at > 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Whether a JSON text is nested deeper than `maxNesting`; brackets inside strings are text. */
export function isNestedTooDeeply(text: string): boolean {
  if (text.length <= maxNesting) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    if (depth > maxNesting) return true;
  }
  return false;
}

interface Level {
  /** Names in an object so far; null for a list. */
  readonly names: Set<string> | null;
  /** The member being scanned. */
  name: string;
}

/** The string between two quotes if it is a member name, else null. */
function nameAt(text: string, from: number, end: number): string | null {
  let next = end + 1;
  while (/\s/.test(text[next] ?? '')) next += 1;
  return text[next] === ':' ? (JSON.parse(text.slice(from, end + 1)) as string) : null;
}

/** Enters a member; returns whether its object already had one of that name. */
function isRepeated(level: Level, name: string): boolean {
  const repeated = level.names?.has(name) === true;
  level.names?.add(name);
  level.name = name;
  return repeated;
}

/** Enters or leaves a level at a bracket. */
function follow(levels: Level[], sign: string): void {
  if (sign === '{' || sign === '[') levels.push({ names: sign === '{' ? new Set() : null, name: '' });
  if (sign === '}' || sign === ']') levels.pop();
}

/**
 * Paths of names that occur more than once in an object of a valid JSON text, in order, once per repetition.
 * Duplicates are ambiguous: a parser takes the last, a reader the first. A list is an empty name in a path.
 */
export function* repeatedKeys(text: string): Iterable<readonly string[]> {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign !== '"') {
      follow(levels, sign);
      continue;
    }
    const end = endOfString(text, at);
    const name = nameAt(text, at, end);
    const level = levels.at(-1);
    if (name !== null && level && isRepeated(level, name)) yield levels.map((above) => above.name);
    at = end;
  }
}

/** The first repeated name; null when there is none. */
export function repeatedName(text: string): string | null {
  for (const path of repeatedKeys(text)) return path.at(-1) ?? null;
  return null;
}

/**
 * Whether every number of a valid JSON text is written as JavaScript writes it: one that is not, such as a large
 * integer, `-0` or `1.0`, would change when it is parsed.
 */
export function numbersSurvive(text: string): boolean {
  const number = /-?\d[\d.eE+-]*/y;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') at = endOfString(text, at);
    if (!/[-\d]/.test(sign)) continue;
    number.lastIndex = at;
    const [written = sign] = number.exec(text) ?? [];
    if (JSON.stringify(Number(written)) !== written) return false;
    at += written.length - 1;
  }
  return true;
}
