import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import { allowServer, isAllowed, switchTool } from './switch-tool';

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
