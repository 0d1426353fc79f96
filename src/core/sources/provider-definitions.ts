import type { SourceDefinition } from '#shared/resolver';
import { modelsDefinition, windowDefinitions } from './window-sources';
import {
  promptPacksDefinition,
  snapshotsDefinition,
  toolCatalogsDefinition,
  workspacesDefinition,
} from './workspace-definitions';

export const recipesDefinition: SourceDefinition = {
  id: 'recipes',
  displayName: 'Recipes',
  nouns: { one: ['recipe'], many: ['recipes'] },
  vocabulary: 'curated',
  entityType: 'recipe',
};

export const sessionsDefinition: SourceDefinition = {
  id: 'sessions',
  displayName: 'Sessions',
  nouns: { one: ['session', 'chat', 'conversation'], many: ['sessions', 'chats', 'conversations'] },
  vocabulary: 'open',
  entityType: 'session',
};

export const serversDefinition: SourceDefinition = {
  id: 'mcp_servers',
  displayName: 'MCP servers',
  nouns: { one: ['MCP server', 'tool server'], many: ['MCP servers', 'tool servers'] },
  vocabulary: 'curated',
  entityType: 'mcp_server',
};

export const resourcesDefinition: SourceDefinition = {
  id: 'mcp_resources',
  displayName: 'MCP resources',
  nouns: { one: ['MCP resource'], many: ['MCP resources'] },
  vocabulary: 'open',
  entityType: 'mcp_resource',
};

export const filesDefinition: SourceDefinition = {
  id: 'project_files',
  displayName: 'Project files',
  nouns: { one: ['project file', 'file'], many: ['project files', 'files'] },
  vocabulary: 'open',
  entityType: 'project_file',
};

/** All sources that code provides without a catalog file. */
export const providerDefinitions: readonly SourceDefinition[] = [
  ...[recipesDefinition, sessionsDefinition, serversDefinition],
  ...[resourcesDefinition, filesDefinition],
  modelsDefinition,
  ...windowDefinitions,
  ...[promptPacksDefinition, toolCatalogsDefinition, snapshotsDefinition, workspacesDefinition],
];
