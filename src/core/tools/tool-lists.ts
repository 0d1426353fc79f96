import { patternNames } from './tool-pattern';
import type { ToolLists } from '../ports/tool-lists';
import type { ToolVerdict } from '#shared/prompt';

/** The name of each list in a refusal, in the gate's order. */
export const listNames = [
  { list: 'modeTools', layer: 'mode', what: 'The active mode' },
  { list: 'workflowTools', layer: 'workflow', what: 'The active workflow' },
  { list: 'catalogTools', layer: 'descriptor', what: 'The active tool set' },
] as const satisfies readonly {
  readonly list: keyof ToolLists;
  readonly layer: string;
  readonly what: string;
}[];

/** The same lists with these names added to each, because a tool that is always offered is in every list. */
export function withNames(lists: ToolLists, names: readonly string[]): ToolLists {
  return Object.fromEntries(
    listNames.flatMap(({ list }) => {
      const patterns = lists[list];
      return patterns ? [[list, [...patterns, ...names]]] : [];
    }),
  );
}

/** The first list that excludes a tool, in the gate's order; undefined: every list names it. */
export function excludedBy(lists: ToolLists, tool: string): (typeof listNames)[number] | undefined {
  return listNames.find(({ list }) => {
    const patterns = lists[list];
    return patterns !== undefined && !patterns.some((pattern) => patternNames(pattern, tool));
  });
}

/** An existing tool, or a tool that only a descriptor names. */
interface VerdictSubject {
  readonly name: string;
  /** Always offered, regardless of the lists. */
  readonly always?: boolean;
  /** Nothing here can execute the tool. */
  readonly unbound?: boolean;
  /** The project's capabilities do not allow the tool. */
  readonly denied?: boolean;
  /** Only the model could call the tool, and the chosen model takes no tools. */
  readonly uncalled?: boolean;
}

const refused = (name: string, layer: ToolVerdict['layer'], reason: string): ToolVerdict => ({
  name,
  offered: false,
  reason,
  ...(layer && { layer }),
});

function verdict(lists: ToolLists, subject: VerdictSubject): ToolVerdict {
  const { name, always, unbound, denied, uncalled } = subject;
  const left = always ? undefined : excludedBy(lists, name);
  if (left) return refused(name, left.layer, `${left.what} does not offer it.`);
  if (unbound) return refused(name, 'binding', 'It has a description, but nothing here provides the tool.');
  if (denied) return refused(name, 'capability', 'The project’s capabilities do not allow it.');
  if (uncalled) return refused(name, 'model', 'The chosen model takes no tools.');
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
