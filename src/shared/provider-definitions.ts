import type { SourceDefinition } from './resolver';

/** The sources made by code: what their items are called, before any is read (AGN-000037 §5). */
export const providerDefinitions = {
  recipes: {
    ...{ id: 'recipes', displayName: 'Recipes', vocabulary: 'curated' },
    nouns: { one: ['recipe'], many: ['recipes'] },
  },
  sessions: {
    ...{ id: 'sessions', displayName: 'Sessions', vocabulary: 'open' },
    nouns: { one: ['conversation', 'session', 'chat'], many: ['conversations', 'sessions', 'chats'] },
  },
  mcp_servers: {
    ...{ id: 'mcp_servers', displayName: 'MCP servers', vocabulary: 'curated', entityType: 'mcp_server' },
    nouns: { one: ['tool server', 'MCP server'], many: ['tool servers', 'MCP servers'] },
  },
  mcp_resources: {
    ...{ id: 'mcp_resources', displayName: 'MCP resources', vocabulary: 'open', entityType: 'mcp_resource' },
    nouns: { one: ['MCP resource'], many: ['MCP resources'] },
  },
  project_files: {
    ...{ id: 'project_files', displayName: 'Project files', vocabulary: 'open', entityType: 'project_file' },
    nouns: { one: ['project file', 'file'], many: ['project files', 'files'] },
  },
} satisfies Readonly<Record<string, SourceDefinition>>;
