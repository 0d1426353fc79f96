import { err, ok, type Result } from '#shared/result';
import type { WorkspaceIndex } from './workspace-schemas';

const groupPrefix = 'group:';
const maxExpanded = 4_096;

/**
 * Expands context references to files, each once, in order; groups may contain groups. `err` describes the
 * problem: an unknown group, a cycle, or too many files.
 */
export function expandContext(
  index: Pick<WorkspaceIndex, 'contextGroups'>,
  refs: readonly string[],
): Result<readonly string[], string> {
  const groups = new Map(Object.entries(index.contextGroups ?? {}));
  const paths = new Set<string>();
  const done = new Set<string>();
  const expand = (ref: string, open: readonly string[]): string | null => {
    if (!ref.startsWith(groupPrefix)) {
      paths.add(ref);
      return paths.size > maxExpanded ? `more than ${maxExpanded} files` : null;
    }
    const id = ref.slice(groupPrefix.length);
    if (open.includes(id))
      return `the context groups refer to each other in a cycle: ${[...open, id].join(' → ')}`;
    if (done.has(id)) return null;
    const members = groups.get(id);
    if (!members) return `there is no context group "${id}"`;
    const wrong = members.map((member) => expand(member, [...open, id])).find((reason) => reason !== null);
    done.add(id);
    return wrong ?? null;
  };
  const wrong = refs.map((ref) => expand(ref, [])).find((reason) => reason !== null);
  return wrong === undefined || wrong === null ? ok([...paths]) : err(wrong);
}
