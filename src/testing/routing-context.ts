import {
  promptPacksDefinition,
  snapshotsDefinition,
  toolCatalogsDefinition,
  workspacesDefinition,
} from '../core/sources/workspace-definitions';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandDefinition, ToolboxDefinition, windowActionOf } from '#shared/command';
import { WindowAction } from '#shared/window-action';
import { AgentMode } from '#shared/mode';
import { CatalogFile, sourceId, type ResolverItem, type SourceDefinition } from '#shared/resolver';
import type { ActiveWorkContext } from '#shared/work-context';
import { commandOf } from '../core/control-plane/action-commands';
import { modelsDefinition, windowDefinitions } from '../core/sources/window-sources';
import { definitionOf } from '../core/control-plane/catalog-definition';
import { createItemIndex } from '../core/control-plane/item-index';
import type { RouteContext } from '../core/control-plane/route-context';
import { checkRoutingTable, compileRoutingTable } from '../core/control-plane/routing-table';
import { modeItems } from '../core/modes/mode-catalog';

const seeds = join(import.meta.dirname, '../../seeds');

const rowsOf = (folder: string): readonly unknown[] =>
  readdirSync(join(seeds, folder))
    // The scripts of recipes lie beside their rows.
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name): unknown => JSON.parse(readFileSync(join(seeds, folder, name), 'utf8')));

const modes = rowsOf('modes').map((row) => AgentMode.parse(row));
const actionCommands = rowsOf('actions').flatMap((row) => commandOf(WindowAction.parse(row)) ?? []);
const commands = [...rowsOf('commands').map((row) => CommandDefinition.parse(row)), ...actionCommands];
const toolboxes = rowsOf('toolboxes').map((row) => ToolboxDefinition.parse(row));
const catalogs = rowsOf('catalogs').map((row) => CatalogFile.parse(row));

/** A test item. */
export function item(id: string, displayName: string, aliases: readonly string[] = []): ResolverItem {
  return { header: { id, displayName }, aliases: [...aliases], keywords: [] };
}

/** The coded sources, with the content of a small project. */
const filled: Readonly<Record<string, { definition: SourceDefinition; items: readonly ResolverItem[] }>> = {
  recipes: {
    definition: {
      id: 'recipes',
      displayName: 'Recipes',
      nouns: { one: ['recipe'], many: ['recipes'] },
      vocabulary: 'curated',
    },
    items: rowsOf('recipes').map((row) => {
      const { id, title } = row as { id: string; title: string };
      return item(id, title);
    }),
  },
  sessions: {
    definition: {
      id: 'sessions',
      displayName: 'Sessions',
      nouns: { one: ['session', 'chat', 'conversation'], many: ['sessions', 'chats', 'conversations'] },
      vocabulary: 'open',
    },
    items: [
      item('s_01', 'How do I close an HTTP session?'),
      item('s_02', 'Flaky login test'),
      item('s_03', 'Refactor the parser'),
    ],
  },
  mcp_servers: {
    definition: {
      id: 'mcp_servers',
      displayName: 'MCP servers',
      nouns: { one: ['MCP server', 'tool server'], many: ['MCP servers', 'tool servers'] },
      vocabulary: 'curated',
    },
    items: [item('project', 'project'), item('filesystem', 'filesystem')],
  },
  mcp_resources: {
    definition: {
      id: 'mcp_resources',
      displayName: 'MCP resources',
      nouns: { one: ['MCP resource'], many: ['MCP resources'] },
      vocabulary: 'open',
    },
    items: [item('demo://ticket/42', 'Ticket 42')],
  },
  project_files: {
    definition: {
      id: 'project_files',
      displayName: 'Project files',
      nouns: { one: ['project file', 'file'], many: ['project files', 'files'] },
      vocabulary: 'open',
    },
    items: ['src/main/app.ts', 'package.json', 'README.md', 'src/parser.ts', 'CHANGELOG.md'].map((path) =>
      item(path, path),
    ),
  },
  prompt_packs: {
    definition: promptPacksDefinition,
    items: [item('default', 'default'), item('concise', 'concise')],
  },
  tool_catalogs: {
    definition: toolCatalogsDefinition,
    items: [item('default', 'default'), item('reading', 'reading')],
  },
  workspace_snapshots: { definition: snapshotsDefinition, items: [item('0f3c5a7b9d1e2f40', '0f3c5a7b9d1e')] },
  workspaces: { definition: workspacesDefinition, items: [item('default', 'default'), item('team', 'team')] },
  models: {
    definition: modelsDefinition,
    items: [
      item('openai/gpt-5', 'gpt-5', ['gpt']),
      item('openai/gpt-5-mini', 'gpt-5-mini', ['gpt']),
      item('anthropic/claude-sonnet-4-5', 'claude-sonnet-4-5', ['claude']),
      item('anthropic/claude-opus-4-1', 'claude-opus-4-1', ['claude']),
      item('local/llama3.2', 'llama3.2', ['llama']),
    ],
  },
  ddrs: {
    definition: {
      id: 'ddrs',
      displayName: 'DDRs',
      nouns: { one: ['DDR'], many: ['DDRs'] },
      vocabulary: 'curated',
    },
    items: [item('AGN-000014', 'Agent mode catalog'), item('AGN-000037', 'Agent control plane')],
  },
};

function definitionsAndItems(own: SeedPlace['own'] = {}) {
  const definitions = new Map<string, SourceDefinition>();
  const items = new Map<string, readonly ResolverItem[]>();
  for (const [id, source] of Object.entries(filled)) {
    definitions.set(id, source.definition);
    items.set(id, source.items);
  }
  for (const file of catalogs) {
    definitions.set(file.catalogId, definitionOf(file));
    if (file.items) items.set(file.catalogId, file.items);
  }
  for (const definition of windowDefinitions) {
    definitions.set(definition.id, definition);
    items.set(definition.id, [item('this', definition.displayName)]);
  }
  items.set('modes', modeItems(modes, new Set(modes.map(({ key }) => key))));
  const writes = item('run_1', 'all 2 file changes of “Rename the parser”');
  items.set('last_writes', [writes]);
  items.set('last_change', [{ ...writes, runs: { commandId: 'UndoRun', id: 'run_1' } }]);
  items.set('workflows', [item('create_ddr', 'Create a new DDR', ['create ddr'])]);
  for (const [id, more] of Object.entries(own)) items.set(id, [...(items.get(id) ?? []), ...more]);
  return { definitions, items };
}

export interface SeedPlace {
  readonly mode?: string;
  readonly ui?: boolean;
  readonly focus?: ActiveWorkContext | null;
  /** A user's own items beside those of the seeds, by source. */
  readonly own?: Readonly<Record<string, readonly ResolverItem[]>>;
  /** Reorders every list. */
  readonly order?: <T>(list: readonly T[]) => readonly T[];
}

/** The focus is on a template from the seeds. */
export const templateInFocus: ActiveWorkContext = {
  domain: 'sales',
  entityType: 'email_template',
  entityHeader: { id: 'TPL-123', displayName: 'Q1 CFO Outreach' },
};

const modeWithSlash = (wanted: string): string | undefined => {
  const ids = commands.flatMap(({ slash, commandId }) => (slash === wanted ? [commandId] : []));
  const boxes = toolboxes.filter(({ commandIds }) => ids.some((id) => commandIds.includes(id)));
  return modes.find(({ toolboxIds }) => boxes.some(({ toolboxId }) => toolboxIds.includes(toolboxId)))?.key;
};

/** The seeds as a mode enables them: commands, sources and items in a context that the router reads. */
export function seedContext({
  mode = 'general',
  ui = true,
  focus = null,
  own,
  order,
}: SeedPlace = {}): RouteContext {
  const shuffled = order ?? (<T>(list: readonly T[]) => list);
  const { definitions, items } = definitionsAndItems(own);
  items.set(
    'active_focus',
    focus?.entityHeader ? [item(focus.entityHeader.id, focus.entityHeader.displayName)] : [],
  );
  const boxes = new Set(modes.find(({ key }) => key === mode)?.toolboxIds);
  const active = toolboxes
    .filter(({ toolboxId }) => boxes.has(toolboxId))
    .flatMap(({ commandIds }) => commandIds);
  const rows = commands.filter((row) => active.includes(row.commandId) || windowActionOf(row) !== undefined);
  const inOrder = shuffled(rows);
  const problems = checkRoutingTable(inOrder, definitions);
  if (problems.length > 0) throw new Error(JSON.stringify(problems, null, 2));
  const indexes = new Map(
    [...items].flatMap(([id, list]) => {
      const definition = definitions.get(id);
      return definition ? [[id, createItemIndex(shuffled(list), definition)] as const] : [];
    }),
  );
  return {
    table: compileRoutingTable(inOrder, definitions),
    indexOf: (source) => indexes.get(sourceId(source)),
    withheld: new Set(),
    modeWithSlash,
    unavailable: [],
    mode,
    ui,
    focus,
    question: null,
    stale: () => false,
  };
}
