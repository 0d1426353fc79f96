import { expect, it } from 'vitest';
import { toolFindings } from './tool-findings';
import type { WorkspaceContent } from './workspace-content';

const contentWith = (tools: readonly string[]): WorkspaceContent => ({
  legacy: false,
  packs: new Map(),
  catalogs: new Map([['mine', { id: 'mine', tools, descriptors: [] }]]),
  defaults: { promptPack: null, toolCatalog: 'mine' },
  warnings: [],
});

it('[P3-catalog-unknown] names each tool of a catalog that nothing answers to, as far as it can be known', () => {
  const bindings = {
    schemaOf: (tool: string) => (tool === 'agent_list_modes' ? { type: 'object' } : undefined),
    complete: (tool: string) => !tool.startsWith('mcp://') || tool.startsWith('mcp://project.'),
  };
  const content = contentWith([
    'agent_list_modes',
    'agent_lst_modes',
    'mcp://project.lst_files',
    'mcp://never-started.read',
    'mcp://nothing.*',
  ]);
  expect(toolFindings(content, bindings).map(({ level, rule, reason }) => [level, rule, reason])).toEqual([
    [
      'warning',
      'unknown-tool',
      'No tool matches agent_lst_modes, so this entry of the tool set has no effect.',
    ],
    [
      'warning',
      'unknown-tool',
      'No tool matches mcp://project.lst_files, so this entry of the tool set has no effect.',
    ],
  ]);
});
