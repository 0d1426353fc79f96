import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isGone, openHostileServer, type HostileServer } from '../../../testing/open-hostile-server';

const opened: HostileServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ tools }) => tools.release())));

const open: typeof openHostileServer = (...args) => {
  const server = openHostileServer(...args);
  opened.push(server);
  return server;
};

const short = { startMs: 700, callMs: 700, pingMs: 300 };

describe('a server that hangs [H37]', () => {
  it.each(['hang-initialize', 'hang-list', 'endless-pages'])(
    '%s: is skipped, ended, and the reason is shown',
    async (fault) => {
      const { tools, ports } = open(fault, {}, short);
      expect(await tools.list()).toEqual({ ok: true, value: [] });
      const [status] = tools.servers();
      expect(status?.state).toBe('failed');
      expect(status?.detail).toMatch(/in time|listMaxPages/);
      await expect.poll(() => ports.every((port) => isGone(port))).toBe(true);
    },
  );

  it('hang-call: times out, notifies the server, keeps it running and answers the next call', async () => {
    const note = path.join(mkdtempSync(path.join(tmpdir(), 'patina-note-')), 'note');
    const { call, ports } = open('hang-call', { args: [note] }, short);
    expect(await call()).toMatchObject({ ok: false, error: { kind: 'TOOL', code: 'TIMEOUT' } });
    await expect.poll(() => readFileSync(note, 'utf8')).toMatch(/tools\/call\nnotifications\/cancelled\n/);
    await call();
    expect(isGone(ports.at(-1))).toBe(false);
    expect(ports).toHaveLength(1);
  });

  it('deaf-call: a server that does not answer a ping is ended and restarted', async () => {
    const { call, ports } = open('deaf-call', {}, short);
    expect(await call()).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
    await expect.poll(() => isGone(ports[0]), { timeout: 5_000 }).toBe(true);
    expect(await call()).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } });
    expect(ports).toHaveLength(2);
  });
});

describe('a server that answers in batches [H40]', () => {
  it.each([
    ['batch', { ok: true, value: 'in a batch' }],
    ['batch-error', { ok: false, error: { kind: 'TOOL', code: 'INVALID_ARGUMENTS' } }],
    ['batch-forged', { ok: true, value: 'mine' }],
    ['batch-flood', { ok: false, error: { kind: 'TOOL', code: 'UNAVAILABLE' } }],
  ])('[MCP-batch] %s: the call gets its answer, or fails immediately', async (fault, expected) => {
    expect(await open(fault).call()).toMatchObject(expected);
  });
});

describe('the limits of a server', () => {
  it('[MCP-limits] are those of its registry row and shown in its status, and a call that exceeds one names it', async () => {
    const { call, tools } = open('hang-call', {
      timeoutMs: 1_000,
      maxTimeoutMs: 2_000,
      startTimeoutMs: 20_000,
    });
    const result = await call();
    expect(result).toMatchObject({ ok: false, error: { kind: 'TOOL', code: 'TIMEOUT' } });
    expect(result.ok ? '' : result.error.hint).toContain('"timeoutMs" or "maxTimeoutMs" of "x"');
    expect(tools.servers()[0]?.limits).toEqual({ startMs: 20_000, callMs: 1_000, totalMs: 2_000 });
  });

  it('[MCP-limits] a start that exceeds one names it', async () => {
    const { tools } = open('hang-initialize', { startTimeoutMs: 1_000 });
    const result = await tools.call('mcp://x.echo', {}, new AbortController().signal);
    expect(result.ok ? '' : result.error.hint).toContain('"startTimeoutMs" of "x"');
  });
});

describe('a cancelled call', () => {
  it('ends immediately as HOST/CANCELLED, and the server is notified', async () => {
    const note = path.join(mkdtempSync(path.join(tmpdir(), 'patina-note-')), 'note');
    const { call } = open('hang-call', { args: [note] });
    const stop = new AbortController();
    const pending = call({}, stop.signal);
    const told = (): string => (existsSync(note) ? readFileSync(note, 'utf8') : '');
    await expect.poll(told).toMatch(/tools\/call\n$/);
    stop.abort();
    expect(await pending).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'CANCELLED' } });
    await expect.poll(told).toMatch(/tools\/call\nnotifications\/cancelled\n$/);
  });
});

describe('a server that exits [H38]', () => {
  it('during a call, with an incomplete JSON answer: the call reports it, and the next use restarts the server', async () => {
    const { call, tools, ports } = open('crash-call');
    const result = await call();
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'TOOL', code: 'UNAVAILABLE', retryable: true },
    });
    expect(result.ok ? '' : result.error.message).toBe('Server "x" exited with code 1.');
    expect(tools.servers()[0]).toMatchObject({ state: 'failed', detail: 'exited with code 1' });
    expect((await tools.list()).ok).toBe(true);
    expect(tools.servers()[0]?.state).toBe('ready');
    expect(ports.length).toBeGreaterThan(1);
  });

  it('during a call: the failure repeats its last output', async () => {
    const result = await open('exit-call').call();
    expect(result.ok ? '' : result.error.message).toBe(
      'Server "x" exited with code 4. It last said: disk is full',
    );
  });

  it('during the start: its last output is shown, without terminal codes', async () => {
    const { tools } = open('exit-initialize');
    await tools.list();
    expect(tools.servers()[0]?.detail).toContain('exited with code 3');
    expect(tools.servers()[0]?.detail).toMatch(/It last said: no licence found$/);
  });

  it('because its command does not exist is a failed server, not an exception', async () => {
    const { tools, call } = open('', { command: 'no-such-command-anywhere' });
    expect(await tools.list()).toEqual({ ok: true, value: [] });
    expect(await call()).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    expect(tools.servers()[0]?.detail).toContain('could not be started');
  });
});

describe('a server that writes too much [H39]', () => {
  it.each(['endless-line', 'huge-result'])(
    '%s: is ended at the message limit, with limited memory',
    async (fault) => {
      const { call, ports } = open(fault);
      const before = process.memoryUsage().rss;
      const result = await call();
      expect(result.ok ? '' : result.error.message).toContain('sent a message over 33554432 bytes');
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
      await expect.poll(() => isGone(ports.at(-1))).toBe(true);
    },
  );

  it('10 MB in one message arrive completely', async () => {
    const result = await open('large-result').call();
    expect(result.ok ? (result.value as string).length : result.error).toBe(10 * 1024 * 1024);
  });
});

describe('a server that writes invalid messages [H40]', () => {
  it('lines that are not messages are ignored', async () => {
    expect(await open('garbage').call()).toEqual({ ok: true, value: 'still here' });
  });

  it('answers to unknown requests are ignored', async () => {
    const { call } = open('wrong-ids');
    expect(await call()).toEqual({ ok: true, value: 'mine' });
    expect(await call()).toEqual({ ok: true, value: 'mine' });
  });

  it('at 100 such lines it is ended, and the call says why', async () => {
    const { call, ports } = open('only-garbage');
    const result = await call();
    expect(result.ok ? '' : result.error.message).toContain('wrote 100 lines that are not MCP messages');
    await expect.poll(() => isGone(ports.at(-1))).toBe(true);
  });

  it('[H41] thousands of list-changed notifications cost nothing', async () => {
    expect(await open('list-changed-flood').call()).toEqual({ ok: true, value: 'done' });
  });

  it('[H47] it may not request a model', async () => {
    expect(await open('asks-back').call()).toEqual({ ok: true, value: '-32601' });
  });
});
