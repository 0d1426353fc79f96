/** A constraint of a plan that the host enforces. */
export type EnforcedConstraint =
  | { readonly kind: 'no-writes'; readonly text: string }
  /**
   * Every path of a write is below the prefix. A prefix has no leading slash; a folder's has a trailing
   * slash, a file's has none.
   */
  | { readonly kind: 'only-path'; readonly text: string; readonly prefix: string };

const noWrites = new Set([
  ...['no writes', 'no write', 'no changes', 'read only', 'readonly', 'only read', 'only reads'],
  ...['do not write', 'do not write anything', 'do not change anything', 'do not modify anything'],
  ...['change nothing', 'write nothing', 'modify nothing'],
]);

/** `only src/`, `only under src/`, `only change files in src/`, `write only to docs/a.md`. */
const leads = [
  ...['only', 'only in', 'only under', 'only inside', 'only within', 'only files in', 'only files under'],
  ...[
    'only write to',
    'only write in',
    'only write under',
    'write only to',
    'write only in',
    'write only under',
  ],
  ...[
    'only change',
    'only change files in',
    'only change files under',
    'change only',
    'change only files in',
  ],
  ...['only edit', 'only edit files in', 'only edit files under', 'edit only', 'edit only files in'],
  ...[
    'only modify',
    'only modify files in',
    'modify only',
    'modify only files in',
    'only touch',
    'touch only',
  ],
];

/**
 * The path as a prefix; null when it is not a path inside the project: no slash, absolute, leading out of it,
 * or with a wildcard.
 */
function prefixOf(written: string): string | null {
  const path = written.replace(/^[`"'“”]|[`"'“”]$/g, '').replaceAll('\\', '/');
  const plain = path
    .replace(/^(\.\/)+/, '')
    .replace(/(\/\*\*?)+$/, '/')
    .replace(/\/+$/, '/');
  const parts = plain.split('/');
  if (!plain.includes('/') || plain.startsWith('/') || plain.includes(':')) return null;
  return parts.includes('..') || /[*?{}[\]\s]/.test(plain) ? null : plain;
}

/**
 * Parses a constraint that the host can enforce: no writes, or writes only below a path. Matches whole
 * sentences of a small fixed grammar; returns null for all other constraints, which are only shown and sent
 * to the model. Pure.
 */
export function parseEnforcedConstraint(text: string): EnforcedConstraint | null {
  const words = text.trim().replace(/[.!]$/, '').replace(/\s+/g, ' ');
  const plain = words
    .toLowerCase()
    .replace(/[’']/g, '')
    .replace(/^dont /, 'do not ')
    .replaceAll('-', ' ');
  if (noWrites.has(plain)) return { kind: 'no-writes', text };
  const at = words.lastIndexOf(' ');
  const lead = words.slice(0, at).toLowerCase();
  const prefix = at > 0 && leads.includes(lead) ? prefixOf(words.slice(at + 1)) : null;
  return prefix === null ? null : { kind: 'only-path', text, prefix };
}

/** The constraints of a plan that the host enforces. */
export const enforcedConstraints = (constraints: readonly string[]): readonly EnforcedConstraint[] =>
  constraints.flatMap((text) => parseEnforcedConstraint(text) ?? []);
