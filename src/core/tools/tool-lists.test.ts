import { describe, expect, test } from 'vitest';
import { excludedBy, withNames } from './tool-lists';

describe('tool lists', () => {
  test('report the first list in the gate’s order that excludes a tool', () => {
    const lists = { modeTools: ['mcp://*'], workflowTools: ['mcp://project.*'], catalogTools: [] };
    expect(excludedBy(lists, 'mcp://project.list_files')).toMatchObject({ layer: 'descriptor' });
    expect(excludedBy(lists, 'mcp://filesystem.write_file')).toMatchObject({ layer: 'workflow' });
    expect(excludedBy(lists, 'agent_list_modes')).toMatchObject({ layer: 'mode' });
  });

  test('exclude nothing when absent, and everything when empty', () => {
    expect(excludedBy({}, 'mcp://any.tool')).toBeUndefined();
    expect(excludedBy({ workflowTools: [] }, 'mcp://any.tool')).toMatchObject({ layer: 'workflow' });
  });

  test('get names added to existing lists, and create no list', () => {
    const lists = withNames({ modeTools: ['a'], catalogTools: [] }, ['always']);
    expect(lists).toEqual({ modeTools: ['a', 'always'], catalogTools: ['always'] });
  });
});
