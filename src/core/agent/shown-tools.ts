import type { ToolDefinition } from '../ports/tool-definition';
import { excludedBy } from '../tools/tool-lists';
import type { ToolLists } from '../ports/tool-lists';

/** The lists that restrict the tools shown to a planning model, and a workspace's descriptions of them. */
export interface ShownTools {
  readonly lists: ToolLists;
  readonly describe?: ((tool: string) => string | undefined) | undefined;
}

/**
 * The tools that a model may plan with. Tools excluded by a list are not shown; a descriptor replaces the
 * description but never the schema.
 */
export function shownTools(
  tools: readonly ToolDefinition[],
  { lists, describe }: ShownTools,
): readonly ToolDefinition[] {
  return tools
    .filter(({ uri }) => !excludedBy(lists, uri))
    .map((tool) => ({ ...tool, description: describe?.(tool.uri) ?? tool.description }));
}
