import type { Json } from '#shared/json';

/** Constraints of `?fields=a,b&kind=c`: the values allowed per argument. */
interface ParsedPattern {
  readonly name: string;
  readonly constraints: readonly { readonly argument: string; readonly values: readonly string[] }[];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parsePattern(pattern: string): ParsedPattern {
  const queryStart = pattern.indexOf('?');
  if (queryStart < 0) return { name: pattern, constraints: [] };
  const constraints = pattern
    .slice(queryStart + 1)
    .split('&')
    .map((part) => {
      const equals = part.indexOf('=');
      const argument = decode(equals < 0 ? part : part.slice(0, equals));
      const values =
        equals < 0
          ? []
          : part
              .slice(equals + 1)
              .split(',')
              .map(decode);
      return { argument, values };
    });
  return { name: pattern.slice(0, queryStart), constraints };
}

/** Whether a name matches a pattern with `*` wildcards; linear in both, without regular expressions. */
function wildcardMatches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === name;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let from = first.length;
  const end = name.length - last.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at < 0 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}

function parts(value: Json): readonly string[] {
  if (Array.isArray(value))
    return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  if (value !== null && typeof value === 'object') return Object.keys(value);
  return [typeof value === 'string' ? value : JSON.stringify(value)];
}

/** Every text in a value, at any depth and between commas, so a `deny` line finds it anywhere. */
function partsWithin(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(partsWithin);
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => [key, ...partsWithin(inner)]);
  if (typeof value !== 'string') return [JSON.stringify(value)];
  return [value, ...value.split(',').map((piece) => piece.trim())];
}

function own(args: Json, name: string): Json | undefined {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return undefined;
  const entry = Object.entries(args).find(([key]) => key === name);
  return entry?.[1];
}

/** Whether the tool's name matches the pattern, whatever its arguments. */
export function patternNames(pattern: string, tool: string): boolean {
  return wildcardMatches(parsePattern(pattern).name, tool);
}

/**
 * The first argument that breaks the pattern's constraints: it must be present, and it must be a listed value
 * or consist only of listed values.
 */
export function brokenConstraint(pattern: string, args: Json): string | undefined {
  return parsePattern(pattern).constraints.find(({ argument, values }) => {
    const value = own(args, argument);
    return value === undefined || !parts(value).every((part) => values.includes(part));
  })?.argument;
}

/**
 * Whether a line that denies, marks as writing or limits the rate applies to a call. One listed value among
 * others is enough; otherwise adding an unlisted value would evade the line.
 */
export function patternApplies(pattern: string, tool: string, args: Json): boolean {
  if (!patternNames(pattern, tool)) return false;
  return parsePattern(pattern).constraints.every(({ argument, values }) => {
    const value = own(args, argument);
    return value !== undefined && partsWithin(value).some((part) => values.includes(part));
  });
}
