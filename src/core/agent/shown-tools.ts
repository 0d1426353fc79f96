import type { ToolDefinition } from '../ports/tool-definition';
import { excludedBy } from '../tools/tool-lists';
import type { ToolLists } from '../ports/tool-lists';

/** What bounds the tools a planning model is shown, and a workspace's own words for them. */
export interface ShownTools {
  readonly lists: ToolLists;
  readonly describe?: ((tool: string) => string | undefined) | undefined;
}

/** The tools a model may plan with; what a list leaves out is not shown, and a descriptor replaces words, never a schema. */
export function shownTools(
  tools: readonly ToolDefinition[],
  { lists, describe }: ShownTools,
): readonly ToolDefinition[] {
  return tools
    .filter(({ uri }) => !excludedBy(lists, uri))
    .map((tool) => ({ ...tool, description: describe?.(tool.uri) ?? tool.description }));
}
