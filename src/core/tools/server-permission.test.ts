import { expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import { mayBeAllowed, unallowedServers, unallowedServerText } from './server-permission';

const manifest = (allow: string[], deny: string[] = []) => Capabilities.parse({ allow, deny });
const tools = ['project.read', 'odd.go', 'odd.stop', 'shop.buy'].map((name) => ({
  uri: `mcp://${name}`,
  server: name.split('.')[0] ?? '',
}));

it.each([
  [['mcp://project.*'], [], ['odd', 'shop']],
  [['mcp://project.*', 'mcp://odd.go'], [], ['shop']],
  [['mcp://*'], [], []],
  [['mcp://project.*'], ['mcp://shop.*'], ['odd']],
  [[], [], ['project', 'odd', 'shop']],
  [['mcp://project.*'], ['mcp://odd.stop'], ['odd', 'shop']],
  [['mcp://project.*'], ['mcp://odd.stop', 'mcp://odd.g*'], ['shop']],
  [['mcp://project.*'], ['mcp://odd.*?force=true'], ['odd', 'shop']],
  [['mcp://project.*'], ['mcp://*'], []],
])(
  '[MCP-not-allowed] when a manifest allows %j and denies %j, the servers that are not allowed yet are %j',
  (allow, deny, servers) => {
    expect(unallowedServers(manifest(allow, deny), tools).map(({ server }) => server)).toEqual(servers);
  },
);

it('[MCP-not-allowed] says how many tools cannot be called, and which command allows them', () => {
  const [odd, shop] = unallowedServers(manifest(['mcp://project.*']), tools);
  expect(odd && unallowedServerText(odd)).toBe(
    'Server "odd" is not allowed in this project yet: none of its 2 tools can be called. To allow it, run patina tools --allow odd or use Settings → Servers.',
  );
  expect(shop && unallowedServerText(shop)).toContain('its tool cannot be called');
});

it('[MCP-not-allowed] a server with unknown tools may be allowed by any line that names it', () => {
  const known = manifest(['mcp://odd.go', 'mcp://a*']);
  expect(['odd', 'abc', 'od', 'shop'].map((server) => mayBeAllowed(known, server))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
