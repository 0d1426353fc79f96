import type { ToolVerdict } from '#shared/prompt';
import { excludedBy } from './tool-lists';
import type { ToolLists } from '../ports/tool-lists';

/** An existing tool, or a tool that only a descriptor names. */
export interface VerdictSubject {
  readonly name: string;
  /** Always offered, regardless of the lists. */
  readonly always?: boolean;
  /** Nothing here can execute the tool. */
  readonly unbound?: boolean;
  /** The project's capabilities do not allow the tool. */
  readonly denied?: boolean;
}

const refused = (name: string, layer: ToolVerdict['layer'], reason: string): ToolVerdict => ({
  name,
  offered: false,
  reason,
  ...(layer && { layer }),
});

function verdict(lists: ToolLists, { name, always, unbound, denied }: VerdictSubject): ToolVerdict {
  const left = always ? undefined : excludedBy(lists, name);
  if (left) return refused(name, left.layer, `${left.what} does not offer it.`);
  if (unbound) return refused(name, 'binding', 'It has a description, but nothing here provides the tool.');
  if (denied) return refused(name, 'capability', 'The project’s capabilities do not allow it.');
  const reason = always ? 'It is always offered.' : 'Mode, workflow, tool set and capabilities all offer it.';
  return { name, offered: true, reason };
}

/** Explains why each tool is offered or not; names the first excluding layer in the gate's order. Pure. */
export function toolVerdicts(lists: ToolLists, subjects: readonly VerdictSubject[]): readonly ToolVerdict[] {
  const known = new Map(subjects.map((subject) => [subject.name, subject]));
  return [...known.values()]
    .map((subject) => verdict(lists, subject))
    .sort((a, b) => Number(b.offered) - Number(a.offered) || (a.name < b.name ? -1 : 1));
}
