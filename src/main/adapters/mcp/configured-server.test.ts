import { afterEach, describe, expect, it } from 'vitest';
import { isGone, openHostileServer, type HostileServer } from '../../../testing/open-hostile-server';

const opened: HostileServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ tools }) => tools.release())));

const open: typeof openHostileServer = (...args) => {
  const server = openHostileServer(...args);
  opened.push(server);
  return server;
};

describe('tools that a server declares', () => {
  it('[H42][H43] are limited, printable, and have schemas that are safe to compile; others are refused by name', async () => {
    const { tools } = open('odd-tools', { trusted: true });
    const listed = await tools.list();
    const defined = listed.ok ? listed.value : [];
    expect(defined.map((tool) => tool.uri)).toEqual(['mcp://x.echo', 'mcp://x.dash-ed.name']);
    expect(defined[0]?.description).toMatch(/^do this now y+$/);
    expect(defined[0]?.description.length).toBeLessThanOrEqual(4_000);
    expect(defined[0]).toMatchObject({ serverVersion: '6.6.6', readOnly: true });
    const detail = tools.servers()[0]?.detail ?? '';
    for (const why of [
      'echo is declared twice',
      'identifier has a name',
      'deep has',
      'loop has',
      'pattern has an input schema that has an invalid pattern at /properties/a/pattern',
    ]) {
      expect(detail).toContain(why);
    }
  });

  it('[MCP-trusted-hint] are read-only by their own hint only on a trusted server', async () => {
    const listed = await open('').tools.list();
    expect(listed.ok && listed.value[0]?.readOnly).toBe(false);
  });

  it('[MCP-output] may return a result that differs from their declaration: it is used, and the server is reported', async () => {
    const { call, tools } = open('broken-promise');
    expect(await call()).toEqual({ ok: true, value: { n: 'seven' } });
    expect(tools.servers()[0]?.detail).toMatch(
      /^The result of echo does not match the schema it declares: \.n must be integer\.$/,
    );
  });
});

describe('running a configured server', () => {
  it('[H49] passes its arguments as they are written, without a shell', async () => {
    const args = ['a;b', '$(touch x)', '`id`', 'new\nline', '"q"', '', '*'];
    const server = open('arguments', { args });
    const result = await server.call();
    expect(JSON.parse(result.ok ? (result.value as string) : '[]')).toEqual([server.project, ...args]);
  });

  it('[H25] passes the few default variables and its own, with secrets and references filled in', async () => {
    process.env.SENTINEL_OF_OURS = 'leak';
    const env = {
      A: '${TOKEN}',
      B: { secrets_ref: 'known' },
      C: '${NONE:-fallback}',
      D: '${workspaceFolder}',
    };
    const server = open('environment', { env });
    const result = await server.call();
    delete process.env.SENTINEL_OF_OURS;
    const seen = JSON.parse(result.ok ? (result.value as string) : '{}') as Record<string, string>;
    expect(seen).toMatchObject({ A: 'from-environment', B: 'shh', C: 'fallback', D: server.project });
    expect(Object.keys(seen)).not.toContain('SENTINEL_OF_OURS');
  });

  it('stops with the name of a variable that a reference names and nobody set', async () => {
    const { tools, call } = open('environment', { env: { A: '${NOT_SET}' } });
    expect(await call()).toMatchObject({ ok: false, error: { kind: 'CONFIG', code: 'MISSING' } });
    expect(tools.servers()[0]?.detail).toContain('${NOT_SET}');
  });

  it('[H60] kills it when it ignores the request to end', { timeout: 20_000 }, async () => {
    const { tools, ports } = open('stubborn');
    await tools.list();
    await tools.release();
    expect(isGone(ports.at(-1))).toBe(true);
    expect(tools.servers()[0]?.state).toBe('idle');
  });
});
