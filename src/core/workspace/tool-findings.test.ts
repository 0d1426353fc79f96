import { expect, it } from 'vitest';
import { toolFindings } from './tool-findings';
import type { WorkspaceContent } from './workspace-content';

const contentWith = (tools: readonly string[]): WorkspaceContent => ({
  legacy: false,
  packs: new Map(),
  catalogs: new Map([['mine', { id: 'mine', file: 'tools/catalogs/mine.json', tools, descriptors: [] }]]),
  defaults: { promptPack: null, toolCatalog: 'mine' },
  warnings: [],
});

it('[P3-catalog-unknown] names each tool and pattern of a catalog that matches nothing, as far as this can be known', () => {
  const bindings = {
    schemas: new Map([['agent_list_modes', { type: 'object' }]]),
    complete: (pattern: string) => !pattern.startsWith('mcp://never-started'),
  };
  const content = contentWith([
    'agent_list_modes',
    'agent_*',
    'agent_lst_modes',
    'workspace_*',
    'mcp://never-started.read',
    'mcp://never-started.*',
    'mcp://nothing.*',
  ]);
  const finding = (pattern: string) => ({
    level: 'warning',
    file: 'tools/catalogs/mine.json',
    field: 'tools',
    rule: 'unknown-tool',
    reason: `No tool matches ${pattern}, so this entry of the tool set has no effect.`,
  });
  expect(toolFindings(content, bindings)).toEqual(
    ['agent_lst_modes', 'workspace_*', 'mcp://nothing.*'].map(finding),
  );
});
