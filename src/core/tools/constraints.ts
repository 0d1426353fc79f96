import type { JsonObject, Json } from '#shared/json';
import type { EnforcedConstraint } from '#shared/plan-constraint';

/** Arguments that name a path; a write without any of them matches no path constraint. */
const pathArguments: ReadonlySet<string> = new Set([
  ...[
    'path',
    'paths',
    'file',
    'files',
    'file_path',
    'filePath',
    'filename',
    'fileName',
    'directory',
    'folder',
  ],
  ...['dir', 'source', 'destination', 'from', 'to', 'old_path', 'new_path', 'oldPath', 'newPath'],
]);

const texts = (value: Json): readonly string[] => {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap((one: Json) => texts(one)) : [];
};

/** A project-relative path for prefix comparison; null when it leads up or lies outside the project. */
function withinProject(path: string, project: string): string | null {
  const plain = path.replaceAll('\\', '/');
  const root = `${project.replaceAll('\\', '/').replace(/\/$/, '')}/`;
  const inside = plain.startsWith(root) ? plain.slice(root.length) : plain;
  const parts = inside.split('/').filter((part) => part !== '' && part !== '.');
  const out = inside.startsWith('/') || /^[A-Za-z]:/.test(inside) || parts.includes('..');
  return out ? null : parts.join('/');
}

const isBelow = (path: string, prefix: string): boolean =>
  prefix.endsWith('/') ? `${path}/`.startsWith(prefix) : path === prefix;

/**
 * Returns the plan constraint that a write violates, or null when the write is allowed. With several
 * `only-path` constraints, each path of a write needs to match only one of them. Pure.
 */
export function brokenConstraint(
  constraints: readonly EnforcedConstraint[],
  args: JsonObject,
  project: string,
): EnforcedConstraint | null {
  const none = constraints.find(({ kind }) => kind === 'no-writes');
  if (none) return none;
  const only = constraints.flatMap((one) => (one.kind === 'only-path' ? [one] : []));
  const [first] = only;
  if (!first) return null;
  const named = Object.entries(args).flatMap(([name, value]) =>
    pathArguments.has(name) ? texts(value) : [],
  );
  const paths = named.map((path) => withinProject(path, project));
  const allowed = (path: string | null): boolean =>
    path !== null && only.some(({ prefix }) => isBelow(path, prefix));
  return paths.length > 0 && paths.every(allowed) ? null : first;
}
