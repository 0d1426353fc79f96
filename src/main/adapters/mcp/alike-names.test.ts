import { describe, expect, it } from 'vitest';
import type { Tool } from '@modelcontextprotocol/client';
import { defineTools } from './tool-definition';
import { parseRegistry } from './registry';

const tool = (name: string): Tool => ({ name, inputSchema: { type: 'object' } });
const server = (name: string) => ({ name, version: '1', trusted: false });

describe('[H44] similar names', () => {
  it('the same name on two servers is two tools', () => {
    const uris = ['a', 'b'].flatMap((name) =>
      [...defineTools(server(name), [tool('send')]).tools.values()].map(({ uri }) => uri),
    );
    expect(uris).toEqual(['mcp://a.send', 'mcp://b.send']);
  });

  it('a duplicate name on one server is refused; the first one stays', () => {
    const { tools, refused } = defineTools(server('a'), [tool('send'), tool('send')]);
    expect([tools.size, refused]).toEqual([1, ['send is declared twice']]);
  });

  it('two servers whose names become equal are refused', () => {
    const text = JSON.stringify({ mcpServers: { mail: { command: 'x' }, MAIL: { command: 'y' } } });
    expect(parseRegistry(text, 'registry.json')).toMatchObject({ ok: false, error: { code: 'INVALID' } });
  });
});
