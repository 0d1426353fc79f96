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
  it('[H42][H43] are bounded, printable, with schemas that are safe to compile; the rest is refused by name', async () => {
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

  it('[MCP-trusted-hint] only a trusted server is believed that a tool reads only', async () => {
    const listed = await open('').tools.list();
    expect(listed.ok && listed.value[0]?.readOnly).toBe(false);
  });

  it('[MCP-output] a result that is not what the tool declared is used all the same, and the server told on', async () => {
    const { call, tools } = open('broken-promise');
    expect(await call()).toEqual({ ok: true, value: { n: 'seven' } });
    expect(tools.servers()[0]?.detail).toMatch(
      /^The result of echo does not match the schema it declares: \.n must be integer\.$/,
    );
  });
});

describe('how a configured server is run', () => {
  it('[H49] its arguments arrive as they are written: no shell reads them', async () => {
    const args = ['a;b', '$(touch x)', '`id`', 'new\nline', '"q"', '', '*'];
    const server = open('arguments', { args });
    const result = await server.call();
    expect(JSON.parse(result.ok ? (result.value as string) : '[]')).toEqual([server.project, ...args]);
  });

  it('[H25] its environment is the default few and its own, secrets and references filled in', async () => {
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

  it('a reference to what is not set stops that server with the name of it', async () => {
    const { tools, call } = open('environment', { env: { A: '${NOT_SET}' } });
    expect(await call()).toMatchObject({ ok: false, error: { kind: 'CONFIG', code: 'MISSING' } });
    expect(tools.servers()[0]?.detail).toContain('${NOT_SET}');
  });

  it('[H60] one that ignores being asked to end is ended all the same', { timeout: 20_000 }, async () => {
    const { tools, ports } = open('stubborn');
    await tools.list();
    await tools.release();
    expect(isGone(ports.at(-1))).toBe(true);
    expect(tools.servers()[0]?.state).toBe('idle');
  });
});
