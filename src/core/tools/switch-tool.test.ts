import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import { allowServer, forgetServer, isAllowed, switchTool } from './switch-tool';

const manifest = Capabilities.parse({
  allow: ['mcp://a.*'],
  deny: ['mcp://a.drop', 'mcp://a.read?path=secret'],
});

describe('a tool’s line in the manifest', () => {
  it('[MCP-switch] is a deny line for off, and is removed again for on, without changing other lines', () => {
    const off = switchTool(manifest, 'mcp://a.read', false);
    expect(isAllowed(off, 'mcp://a.read')).toBe(false);
    expect(off.deny).toEqual([...manifest.deny, 'mcp://a.read']);
    expect(switchTool(off, 'mcp://a.read', true)).toEqual(manifest);
  });

  it('[MCP-switch] is added when no line allows the tool; a constraint is not a denial', () => {
    expect(isAllowed(manifest, 'mcp://a.read')).toBe(true);
    expect(isAllowed(manifest, 'mcp://b.x')).toBe(false);
    expect(switchTool(manifest, 'mcp://b.x', true).allow).toEqual(['mcp://a.*', 'mcp://b.x']);
    expect(isAllowed(switchTool(manifest, 'mcp://a.drop', true), 'mcp://a.drop')).toBe(true);
  });

  it('[MCP-switch] for a whole server is added once', () => {
    const once = allowServer(manifest, 'b');
    expect(once.allow).toEqual(['mcp://a.*', 'mcp://b.*']);
    expect(allowServer(once, 'b')).toEqual(once);
  });
});

it('[MCP-switch] leaves no line of a removed server, and every line of the others', () => {
  const flow = (from: string, to: string) => ({ from, to });
  const lines = Capabilities.parse({
    allow: ['mcp://a.*', 'mcp://ab.*', 'mcp://*'],
    deny: ['mcp://a.drop', 'mcp://b.drop'],
    write: ['mcp://a.put?x=1', 'mcp://b.put'],
    dataFlows: [flow('a', 'b'), flow('b', 'a'), flow('b', '*'), flow('ab', 'b')],
    rateLimits: { 'mcp://a.get': 1, 'mcp://b.get': 2 },
  });
  expect(forgetServer(lines, 'a')).toEqual({
    allow: ['mcp://ab.*', 'mcp://*'],
    deny: ['mcp://b.drop'],
    write: ['mcp://b.put'],
    dataFlows: [flow('b', '*'), flow('ab', 'b')],
    rateLimits: { 'mcp://b.get': 2 },
  });
});

it('[MCP-switch] a deny line for a whole server turns its tools off', () => {
  const denied = Capabilities.parse({ allow: ['mcp://*'], deny: ['mcp://a.*'] });
  expect(isAllowed(denied, 'mcp://a.read')).toBe(false);
  expect(isAllowed(denied, 'mcp://b.read')).toBe(true);
  expect(isAllowed(Capabilities.parse({ allow: ['mcp://b.*', 'mcp://a.*'] }), 'mcp://a.read')).toBe(true);
});
