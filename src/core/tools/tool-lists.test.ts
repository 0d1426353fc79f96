import { describe, expect, test } from 'vitest';
import { excludedBy, toolVerdicts, withNames } from './tool-lists';

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

describe('the verdict on a tool', () => {
  const lists = {
    modeTools: ['mcp://*'],
    workflowTools: ['mcp://a.*'],
    catalogTools: ['mcp://a.get', 'mcp://a.put'],
  };

  test('names the first reason why it is not offered, in the gate’s order', () => {
    const subjects = [
      { name: 'plain', always: true },
      { name: 'agent_mode' },
      { name: 'mcp://b.get', unbound: true, denied: true },
      { name: 'mcp://a.drop' },
      { name: 'mcp://a.put', unbound: true, denied: true },
      { name: 'mcp://a.get', denied: true },
      { name: 'spoken', always: true, uncalled: true },
    ];
    const refused = (name: string, layer: string, reason: string) => ({
      name,
      offered: false,
      reason,
      layer,
    });
    expect(toolVerdicts(lists, subjects)).toEqual([
      { name: 'plain', offered: true, reason: 'It is always offered.' },
      refused('agent_mode', 'mode', 'The active mode does not offer it.'),
      refused('mcp://a.drop', 'descriptor', 'The active tool set does not offer it.'),
      refused('mcp://a.get', 'capability', 'The project’s capabilities do not allow it.'),
      refused('mcp://a.put', 'binding', 'It has a description, but nothing here provides the tool.'),
      refused('mcp://b.get', 'workflow', 'The active workflow does not offer it.'),
      refused('spoken', 'model', 'The chosen model takes no tools.'),
    ]);
  });

  test('is given once per name, for the last subject of that name; offered ones come first', () => {
    const names = (found: readonly { readonly name: string; readonly offered: boolean }[]) =>
      found.map(({ name, offered }) => `${name} ${String(offered)}`);
    const subjects = [
      { name: 'b' },
      { name: 'a', denied: true },
      { name: 'c', unbound: true },
      { name: 'a' },
    ];
    expect(names(toolVerdicts({}, subjects))).toEqual(['a true', 'b true', 'c false']);
    expect(names(toolVerdicts({}, subjects.toReversed()))).toEqual(['b true', 'a false', 'c false']);
    expect(toolVerdicts({}, [{ name: 'a' }])[0]?.reason).toBe(
      'Mode, workflow, tool set and capabilities all offer it.',
    );
  });
});
