import { describe, expect, it } from 'vitest';
import { parseToolUri, scriptName, toolAliases } from './tool-name';

describe('toolAliases', () => {
  it('spells names that are not valid in JavaScript, the same way in any order', () => {
    const uris = ['mcp://a-b.read.file', 'mcp://a_b.x', 'mcp://a-b.read-file', 'mcp://a-b.3d'];
    const expected = [
      { uri: 'mcp://a-b.3d', server: 'a_b', tool: '_3d' },
      { uri: 'mcp://a-b.read-file', server: 'a_b', tool: 'read_file' },
      { uri: 'mcp://a-b.read.file', server: 'a_b', tool: 'read_file_2' },
      { uri: 'mcp://a_b.x', server: 'a_b_2', tool: 'x' },
    ];
    expect(toolAliases(uris)).toEqual(expected);
    expect(toolAliases([...uris].reverse())).toEqual(expected);
  });

  it('omits what does not name a tool', () => {
    expect(toolAliases(['mcp://server', 'http://a.b', ''])).toEqual([]);
    expect(parseToolUri('mcp://files.read?path=a')).toBeUndefined();
    expect(scriptName('ünï')).toBe('_n_');
  });
});
