import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import { allowServer, isAllowed, switchTool } from './switch-tool';

const manifest = Capabilities.parse({
  allow: ['mcp://a.*'],
  deny: ['mcp://a.drop', 'mcp://a.read?path=secret'],
});

describe('a tool’s line in the manifest', () => {
  it('[MCP-switch] off is a deny line, on takes it away again, and neither touches any other', () => {
    const off = switchTool(manifest, 'mcp://a.read', false);
    expect(isAllowed(off, 'mcp://a.read')).toBe(false);
    expect(off.deny).toEqual([...manifest.deny, 'mcp://a.read']);
    expect(switchTool(off, 'mcp://a.read', true)).toEqual(manifest);
  });

  it('[MCP-switch] a tool no line allows gets one of its own; a constraint is no denial', () => {
    expect(isAllowed(manifest, 'mcp://a.read')).toBe(true);
    expect(isAllowed(manifest, 'mcp://b.x')).toBe(false);
    expect(switchTool(manifest, 'mcp://b.x', true).allow).toEqual(['mcp://a.*', 'mcp://b.x']);
    expect(isAllowed(switchTool(manifest, 'mcp://a.drop', true), 'mcp://a.drop')).toBe(true);
  });

  it('[MCP-switch] a server is allowed once', () => {
    const once = allowServer(manifest, 'b');
    expect(once.allow).toEqual(['mcp://a.*', 'mcp://b.*']);
    expect(allowServer(once, 'b')).toEqual(once);
  });
});
