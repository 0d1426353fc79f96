import { describe, expect, test } from 'vitest';
import { excludedBy, withNames } from './tool-lists';

describe('tool lists', () => {
  test('the first list in the gate’s order that leaves a tool out is told', () => {
    const lists = { modeTools: ['mcp://*'], workflowTools: ['mcp://project.*'], catalogTools: [] };
    expect(excludedBy(lists, 'mcp://project.list_files')).toMatchObject({ layer: 'descriptor' });
    expect(excludedBy(lists, 'mcp://filesystem.write_file')).toMatchObject({ layer: 'workflow' });
    expect(excludedBy(lists, 'agent_list_modes')).toMatchObject({ layer: 'mode' });
  });

  test('an absent list leaves nothing out, an empty one everything', () => {
    expect(excludedBy({}, 'mcp://any.tool')).toBeUndefined();
    expect(excludedBy({ workflowTools: [] }, 'mcp://any.tool')).toMatchObject({ layer: 'workflow' });
  });

  test('names are added to the lists that are there, and make no list where there was none', () => {
    const lists = withNames({ modeTools: ['a'], catalogTools: [] }, ['always']);
    expect(lists).toEqual({ modeTools: ['a', 'always'], catalogTools: ['always'] });
  });
});
