import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempTree } from '../../../testing/temp-tree';
import { createServerRegistry } from './registry-store';

const claudeDesktop = `{
  "globalShortcut": "Alt+Space",
  "mcpServers": {
    "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ada/Desktop"] },
    "GitHub": { "command": "docker", "args": ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"],
      "env": { "GITHUB_TOKEN": "ghp_x" } },
    "old": { "command": "uvx", "args": ["mcp-server-time"], "disabled": true }
  }
}`;

const mcpJson = `{
  "mcpServers": {
    "api": { "type": "http", "url": "\${API_BASE_URL:-https://api.example.com}/mcp",
      "headers": { "Authorization": "Bearer \${API_KEY}" } },
    "events": { "type": "sse", "url": "https://events.example.com/sse" },
    "db": { "type": "stdio", "command": "./bin/db", "args": [], "env": { "URL": "\${DB_URL}" }, "trusted": true }
  }
}`;

const vsCode = `// What VS Code keeps in .vscode/mcp.json
{
  "inputs": [
    { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true },
    { "type": "pickString", "id": "region", "default": "eu", "options": ["eu", "us"] },
  ],
  "servers": {
    /* a comment */
    "perplexity": { "type": "stdio", "command": "npx", "args": ["-y", "server-perplexity-ask"],
      "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}" } },
    "remote": { "type": "http", "url": "https://\${input:region}.example.com/mcp",
      "headers": { "Authorization": "Bearer \${input:token}" } }, // not described
  },
}`;

const vsCodeSettings = `{ "editor.fontSize": 13, "mcp": { "inputs": [], "servers": { "time": { "command": "uvx", "args": ["mcp-server-time"] } } } }`;

const broken = `{ "mcpServers": {
  "good": { "command": "node", "args": ["server.js"] },
  "Good": { "command": "node" },
  "bad args": { "command": "node", "args": "server.js" },
  "nothing": { "type": "stdio" },
  "address": { "url": "ftp://example.com" },
  "???": { "command": "node" }
} }`;

const repeated = `\uFEFF{ // with a mark of its byte order
  "servers": {
    "twice": { "command": "node" },
    "good": { "command": "node", "args": ["{", "\\"", "twice"] },
    "twice": { "command": "other" },
    "env": { "command": "node", "env": { "A": "1", "A": "2" } },
    "filed": { "command": "node", "envFile": "\${workspaceFolder}/.env" },
    "a.b": { "command": "node", "command": "other" },
    "a": { "command": "node" },
  },
}`;

const extra = `{ "mcpServers": {
  "slow": { "type": "stdio", "command": "node", "timeout": 5, "alwaysAllow": ["x"], "trusted": false },
  "remote": { "type": "http", "url": "https://example.com", "headersHelper": "./key.sh" }
} }`;

let tree: ReturnType<typeof createTempTree>;
beforeEach(() => {
  const own = JSON.stringify({ mcpServers: { mine: { command: 'x' } } });
  tree = createTempTree({
    'claude.json': claudeDesktop,
    '.mcp.json': mcpJson,
    'mcp.json': vsCode,
    'broken.json': broken,
    'extra.json': extra,
    'repeated.json': repeated,
    'both.json': `{ "mcpServers": {}, "mcpServers": {} }`,
    'settings.json': vsCodeSettings,
    'mcp/registry.json': own,
  });
});
afterEach(() => tree.remove());

const registry = () => createServerRegistry({ home: tree.root, override: undefined, seed: '/nowhere' });
function read(name: string) {
  const found = registry().read(path.join(tree.root, name));
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

describe('[MCP-import] configuration files of other programs', () => {
  it('Claude Desktop: names are normalised, disabled servers are skipped and named, nothing is trusted', () => {
    const { servers, disabled, problems } = read('claude.json');
    expect(servers.map(({ name, kind, trusted }) => [name, kind, trusted])).toEqual([
      ['filesystem', 'stdio', false],
      ['github', 'stdio', false],
    ]);
    expect(disabled).toEqual(['old']);
    expect(problems).toEqual([]);
    // Environment values are in the entry only, never in anything displayed.
    expect(JSON.stringify(servers.map(({ words }) => words))).not.toContain('ghp_x');
  });

  it('.mcp.json: addresses, headers and variables stay unchanged', () => {
    const { servers } = read('.mcp.json');
    expect(servers.map(({ name, kind, words }) => [name, kind, words[0]])).toEqual([
      ['api', 'http', '${API_BASE_URL:-https://api.example.com}/mcp'],
      ['events', 'http', 'https://events.example.com/sse'],
      ['db', 'stdio', './bin/db'],
    ]);
    expect(servers[0]?.entry).toMatchObject({ headers: { Authorization: 'Bearer ${API_KEY}' } });
  });

  it('VS Code: comments, trailing commas, and the inputs of each server are read', () => {
    const { servers } = read('mcp.json');
    expect(servers.map(({ name, inputs }) => [name, inputs])).toEqual([
      ['perplexity', [{ id: 'mcp-perplexity-perplexity-key', label: 'Perplexity API Key', secret: true }]],
      [
        'remote',
        [
          { id: 'mcp-remote-region', label: 'region', secret: false, value: 'eu' },
          { id: 'mcp-remote-token', label: 'token', secret: true },
        ],
      ],
    ]);
    expect(servers[1]?.entry).toMatchObject({
      url: 'https://${input:mcp-remote-region}.example.com/mcp',
      headers: { Authorization: 'Bearer ${input:mcp-remote-token}' },
    });
    expect(read('settings.json').servers.map(({ name }) => name)).toEqual(['time']);
  });

  it('an invalid entry loses only itself, and is named by its field', () => {
    const { servers, problems } = read('broken.json');
    expect(servers.map(({ name }) => name)).toEqual(['good']);
    expect(problems.map(({ field }) => field)).toEqual([
      'mcpServers.Good',
      'mcpServers.bad args.args',
      'mcpServers.nothing',
      'mcpServers.address.url',
      'mcpServers.???',
    ]);
    expect(problems.every(({ file, reason }) => file.endsWith('broken.json') && reason !== '')).toBe(true);
  });

  it('[MCP-import-silent] duplicates and a file of variables are named and not imported', () => {
    const { servers, problems } = read('repeated.json');
    expect(servers.map(({ name }) => name)).toEqual(['good', 'a']);
    expect(problems.map(({ field, rule }) => [field, rule])).toEqual([
      ['servers.twice', 'unique'],
      ['servers.env.env.A', 'unique'],
      ['servers.filed.envFile', 'unsupported'],
      ['servers.a.b.command', 'unique'],
    ]);
    expect(problems.find(({ rule }) => rule === 'unsupported')?.reason).toContain('under "env"');
    expect(read('both.json').problems.map(({ field }) => field)).toEqual(['mcpServers']);
  });

  it('[MCP-import-silent] unknown fields are named and ignored', () => {
    const { servers, problems, unused } = read('extra.json');
    expect(servers.map(({ name }) => name)).toEqual(['slow', 'remote']);
    expect(problems).toEqual([]);
    expect(unused.map(({ field, file }) => [path.basename(file), field])).toEqual([
      ['extra.json', 'mcpServers.slow.timeout'],
      ['extra.json', 'mcpServers.slow.alwaysAllow'],
      ['extra.json', 'mcpServers.remote.headersHelper'],
    ]);
  });

  it('reading a file changes nothing, and a registry with comments is not overwritten', () => {
    const own = path.join(tree.root, 'mcp/registry.json');
    const before = readFileSync(own, 'utf8');
    for (const name of ['claude.json', 'mcp.json', 'broken.json']) read(name);
    expect(readFileSync(own, 'utf8')).toBe(before);
    tree.write({ 'mcp/registry.json': '{ /* mine */ "mcpServers": {} }' });
    expect(registry().put({ other: { command: 'y' } })).toMatchObject({
      error: { kind: 'HOST', code: 'STATE' },
    });
    expect(readFileSync(own, 'utf8')).toContain('/* mine */');
  });
});
