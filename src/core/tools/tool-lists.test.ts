import { describe, expect, test } from 'vitest';
import { leftOutBy, withNames } from './tool-lists';

describe('tool lists', () => {
  test('the first list in the gate’s order that leaves a tool out is told', () => {
    const lists = { modeTools: ['mcp://*'], workflowTools: ['mcp://project.*'], catalogTools: [] };
    expect(leftOutBy(lists, 'mcp://project.list_files')).toMatchObject({ layer: 'descriptor' });
    expect(leftOutBy(lists, 'mcp://filesystem.write_file')).toMatchObject({ layer: 'workflow' });
    expect(leftOutBy(lists, 'agent_list_modes')).toMatchObject({ layer: 'mode' });
  });

  test('an absent list leaves nothing out, an empty one everything', () => {
    expect(leftOutBy({}, 'mcp://any.tool')).toBeUndefined();
    expect(leftOutBy({ workflowTools: [] }, 'mcp://any.tool')).toMatchObject({ layer: 'workflow' });
  });

  test('names are added to the lists that are there, and make no list where there was none', () => {
    const lists = withNames({ modeTools: ['a'], catalogTools: [] }, ['always']);
    expect(lists).toEqual({ modeTools: ['a', 'always'], catalogTools: ['always'] });
  });
});
