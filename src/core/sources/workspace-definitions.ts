import type { SourceDefinition } from '#shared/resolver';

export const promptPacksDefinition: SourceDefinition = {
  id: 'prompt_packs',
  displayName: 'Instructions',
  nouns: { one: ['prompt pack'], many: ['prompt packs'] },
  vocabulary: 'curated',
  listed: false,
};

export const toolCatalogsDefinition: SourceDefinition = {
  id: 'tool_catalogs',
  displayName: 'Tool sets',
  nouns: { one: ['tool catalog', 'tool catalogue'], many: ['tool catalogs', 'tool catalogues'] },
  vocabulary: 'curated',
  listed: false,
};

export const snapshotsDefinition: SourceDefinition = {
  id: 'workspace_snapshots',
  displayName: 'Workspace versions',
  nouns: { one: ['workspace snapshot'], many: ['workspace snapshots'] },
  vocabulary: 'open',
  listed: false,
};

export const workspacesDefinition: SourceDefinition = {
  id: 'workspaces',
  displayName: 'Agent workspaces',
  nouns: { one: ['agent workspace'], many: ['agent workspaces'] },
  vocabulary: 'curated',
  listed: false,
};
