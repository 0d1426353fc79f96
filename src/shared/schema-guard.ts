/** Bounds of a schema that a server declares: beyond them it is refused at load, before any validator sees it. */
const MAX_BYTES = 256_000;
const MAX_DEPTH = 64;
const MAX_NODES = 20_000;
const MAX_PATTERN_CHARACTERS = 512;

interface Tally {
  nodes: number;
}

/**
 * Why a JSON Schema from a server must not be used, or null. A reference may only point into the schema itself (nothing
 * is fetched), must not lead to itself without describing anything, and no pattern may be of the kind that backtracks for ever.
 */
export function schemaProblem(schema: unknown): string | null {
  return (
    nodeProblem(schema, 0, { nodes: 0 }) ??
    (JSON.stringify(schema).length > MAX_BYTES ? `is over ${MAX_BYTES} bytes` : loopProblem(schema))
  );
}

function nodeProblem(node: unknown, depth: number, tally: Tally): string | null {
  if (typeof node !== 'object' || node === null) return null;
  tally.nodes += 1;
  if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH}`;
  if (tally.nodes > MAX_NODES) return `has more than ${MAX_NODES} parts`;
  if (!Array.isArray(node)) {
    const own = keywordProblem(node as Record<string, unknown>);
    if (own !== null) return own;
  }
  for (const child of Object.values(node)) {
    const problem = nodeProblem(child, depth + 1, tally);
    if (problem !== null) return problem;
  }
  return null;
}

function keywordProblem(node: Record<string, unknown>): string | null {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = node[keyword];
    if (typeof reference === 'string' && !reference.startsWith('#'))
      return `refers to ${reference.slice(0, 100)}`;
  }
  const { pattern, patternProperties } = node;
  const patterns =
    typeof patternProperties === 'object' && patternProperties !== null ? Object.keys(patternProperties) : [];
  if (typeof pattern === 'string') patterns.push(pattern);
  return patterns.map(patternProblem).find((problem) => problem !== null) ?? null;
}

/** A repeated group that itself repeats or chooses is where exponential matching comes from. */
const NESTED_REPEAT = /\([^()]*([*+}]|\|)[^()]*\)[*+{]/;

function patternProblem(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return 'has a pattern that is too long';
  const plain = pattern.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
  if (NESTED_REPEAT.test(plain) || /\)\)*[*+]\)*[*+]/.test(plain))
    return 'has a pattern that may never finish';
  return null;
}

/** Follows references that stand alone: a chain of them that comes back to its start describes nothing and never ends. */
function loopProblem(schema: unknown): string | null {
  let found: string | null = null;
  const ending = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || found !== null) return;
    const reference = (node as { $ref?: unknown }).$ref;
    if (typeof reference === 'string' && loops(schema, reference, ending))
      found = 'has references that lead to themselves';
    Object.values(node).forEach(visit);
  };
  visit(schema);
  return found;
}

/** `ending`: references known to lead somewhere; those on the way become some, so that each is followed once. */
function loops(schema: unknown, first: string, ending: Set<string>): boolean {
  const seen = new Set<string>();
  let reference: unknown = first;
  while (typeof reference === 'string' && !ending.has(reference)) {
    if (seen.has(reference)) return true;
    seen.add(reference);
    reference = (pointed(schema, reference) as { $ref?: unknown } | undefined)?.$ref;
  }
  for (const each of seen) ending.add(each);
  return false;
}

function pointed(schema: unknown, reference: string): object | undefined {
  let node: unknown = schema;
  for (const part of reference.replace(/^#\/?/, '').split('/')) {
    if (part === '') continue;
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return typeof node === 'object' && node !== null ? node : undefined;
}
