/** What reads a value goes into it level by level; deeper than this nothing that is meant is nested. */
export const maxNesting = 500;

/** Where the string that begins at a quote ends: its closing quote, or the end of the text. */
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
  /** Names of an object so far; a list has none. */
  readonly names: Set<string> | null;
  /** The member the scan is in. */
  name: string;
}

/** The string between two quotes, if it is the name of a member. */
function nameAt(text: string, from: number, end: number): string | null {
  let next = end + 1;
  while (/\s/.test(text[next] ?? '')) next += 1;
  return text[next] === ':' ? (JSON.parse(text.slice(from, end + 1)) as string) : null;
}

/** Goes on to a member; whether one of that name stood there before. */
function stoodBefore(level: Level, name: string): boolean {
  const stood = level.names?.has(name) === true;
  level.names?.add(name);
  level.name = name;
  return stood;
}

/** Into what a sign opens, or out of what it closes. */
function follow(levels: Level[], sign: string): void {
  if (sign === '{' || sign === '[') levels.push({ names: sign === '{' ? new Set() : null, name: '' });
  if (sign === '}' || sign === ']') levels.pop();
}

/**
 * The paths of names that stand more than once in one object of a valid JSON text, in order and once per repetition: a
 * parser takes the last of them, a reader the first. A list is an empty name in a path.
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
    if (name !== null && level && stoodBefore(level, name)) yield levels.map((above) => above.name);
    at = end;
  }
}

/** The first of these names; null: each stands once. */
export function repeatedName(text: string): string | null {
  for (const path of repeatedKeys(text)) return path.at(-1) ?? null;
  return null;
}
