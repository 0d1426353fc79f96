import { patternNames } from './tool-pattern';
import type { ToolLists } from '../ports/tool-lists';

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
