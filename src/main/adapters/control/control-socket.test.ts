import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { ControlEntry, type ControlReply } from '#shared/control-message';
import type { WorkspaceCall, WorkspaceView } from '#shared/workspace-call';
import { must } from '../../../testing/stored-session';
import { processAlive } from '../system/process-alive';
import { createControlSocket } from './control-socket';

const homes: string[] = [];
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

function newHome(name = 'patina-control-'): string {
  const home = mkdtempSync(join(tmpdir(), name));
  homes.push(home);
  return home;
}

const socketOf = (home: string, holder = 'an app', silenceMs = 5_000) =>
  createControlSocket({ home, holder, processAlive, silenceMs });

// Only the shape matters here.
const view = { state: { active: null }, findings: [] } as unknown as WorkspaceView;
const answered: ControlReply = { type: 'answered', view };

async function serve(home: string, reply: ControlReply, holder?: string) {
  const calls: WorkspaceCall[] = [];
  const answer = (call: WorkspaceCall): Promise<ControlReply> => {
    calls.push(call);
    return Promise.resolve(reply);
  };
  const stop = must(await socketOf(home, holder).serve(answer));
  ends.push(stop);
  return { calls, stop };
}

const entriesIn = (home: string) => readdirSync(join(home, 'run')).filter((name) => name.endsWith('.json'));
function entryIn(home: string): ControlEntry {
  const [name = ''] = entriesIn(home);
  return ControlEntry.parse(JSON.parse(readFileSync(join(home, 'run', name), 'utf8')));
}

/** Returns the reply to raw bytes; empty when the server closes the connection. */
async function raw(address: string, text: string): Promise<string> {
  const socket = createConnection(address);
  let got = '';
  socket.on('data', (chunk) => (got += chunk.toString('utf8')));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return got;
}

describe.skipIf(process.platform === 'win32')('the files of the control socket', () => {
  it('[P3-CS-owner] are accessible to the owner alone', async () => {
    const home = newHome();
    await serve(home, answered);
    const mode = (file: string): number => statSync(file).mode & 0o777;
    expect(mode(join(home, 'run'))).toBe(0o700);
    expect(mode(entryIn(home).address)).toBe(0o600);
    expect(mode(join(home, 'run', entriesIn(home)[0] ?? ''))).toBe(0o600);
  });

  it('[P3-CS-owner] include a run folder that is closed to others', async () => {
    const home = newHome();
    mkdirSync(join(home, 'run'));
    chmodSync(join(home, 'run'), 0o755);
    await serve(home, answered);
    expect(statSync(join(home, 'run')).mode & 0o777).toBe(0o700);
  });

  it('[P3-CS-running] work with a path that is too long for a socket', async () => {
    const home = join(newHome(), 'x'.repeat(120));
    mkdirSync(home);
    const { stop } = await serve(home, answered);
    const { address } = entryIn(home);
    expect(address.startsWith(home)).toBe(false);
    expect(statSync(join(address, '..')).mode & 0o777).toBe(0o700);
    expect((await socketOf(home).ask({ op: 'status' }))?.result.ok).toBe(true);
    await stop();
    expect(statSync(join(address, '..'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('[P3-CS-stale] are removed after an app was killed, and block nobody', async () => {
    const home = newHome();
    mkdirSync(join(home, 'run'));
    const address = join(home, 'run', 'dead.sock');
    const listen = `require('node:net').createServer().listen(${JSON.stringify(address)}, () => console.log('up'))`;
    const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const { pid = 0 } = child;
    child.kill('SIGKILL');
    await once(child, 'exit');
    const left = { protocol: 1, holder: 'a dead app', address, key: 'a'.repeat(64) };
    writeFileSync(join(home, 'run', '1-ab.json'), JSON.stringify({ ...left, pid }));
    // Another process may have reused the pid by now; then only the silent socket shows that the app is gone.
    writeFileSync(join(home, 'run', '2-ab.json'), JSON.stringify({ ...left, pid: process.pid }));
    expect(await socketOf(home).ask({ op: 'status' })).toBeNull();
    expect(readdirSync(join(home, 'run'))).toEqual([]);
    await serve(home, answered);
    expect((await socketOf(home).ask({ op: 'status' }))?.result.ok).toBe(true);
  });
});

describe('a request to the running app', () => {
  it('[P3-CS-running] reaches it and names it', async () => {
    const home = newHome();
    const { calls } = await serve(home, answered, 'the Patina window');
    const asked = await socketOf(home).ask({ op: 'sync', sessionId: 's' });
    expect(asked).toEqual({
      by: { holder: 'the Patina window', pid: process.pid },
      result: { ok: true, value: view },
    });
    expect(calls).toEqual([{ op: 'sync', sessionId: 's' }]);
  });

  it('[P3-CS-running] goes to the next app when the first does not write the session', async () => {
    const home = newHome();
    const first = await serve(home, answered, 'first');
    const second = await serve(home, { type: 'not-mine' }, 'second');
    expect(await socketOf(home).ask({ op: 'apply' })).toMatchObject({ by: { holder: 'first' } });
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
  });

  it('[P3-CS-running] gets no answer without a running app', async () => {
    const home = newHome();
    expect(await socketOf(home).ask({ op: 'status' })).toBeNull();
    const { stop } = await serve(home, answered);
    await stop();
    expect(await socketOf(home).ask({ op: 'status' })).toBeNull();
    expect(readdirSync(join(home, 'run'))).toEqual([]);
  });

  it('returns the typed refusal of the app', async () => {
    const home = newHome();
    const error = appError('HOST', 'STATE', 'There is nothing to apply.');
    await serve(home, { type: 'refused', error });
    expect((await socketOf(home).ask({ op: 'apply' }))?.result).toEqual({ ok: false, error });
  });

  it('[P3-CS-bounded] ends with HOST/STATE and the app’s name after a limited wait', async () => {
    const home = newHome();
    ends.push(must(await socketOf(home, 'a busy app').serve(() => new Promise(() => undefined))));
    const asked = await socketOf(home, '', 50).ask({ op: 'status' });
    expect(asked?.result).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
    expect(asked?.result.ok === false && asked.result.error.message).toContain('a busy app');
  });
});

describe('a message to the socket', () => {
  it('[P3-CS-owner] is refused without the key of the entry', async () => {
    const home = newHome();
    const { calls } = await serve(home, answered);
    const { address, key } = entryIn(home);
    const request = (given: string) =>
      `${JSON.stringify({ protocol: 1, key: given, call: { op: 'status' } })}\n`;
    for (const wrong of ['', 'b'.repeat(64), 'é'.repeat(64), `${key}0`]) {
      expect(JSON.parse(await raw(address, request(wrong)))).toMatchObject({ type: 'refused' });
    }
    expect(calls).toEqual([]);
    expect(JSON.parse(await raw(address, request(key)))).toMatchObject({ type: 'answered' });
  });

  it('[P3-CS-bounded] is validated and limited: an invalid request is refused, one that is too long is cut off', async () => {
    const home = newHome();
    const { calls } = await serve(home, answered);
    const { address, key } = entryIn(home);
    const line = (value: unknown) => `${JSON.stringify(value)}\n`;
    const bad = [
      '{\n',
      'null\n',
      line({ protocol: 2, key, call: { op: 'status' } }),
      line({ protocol: 1, key, call: { op: 'quit' } }),
      line({ protocol: 1, key, call: { op: 'status' }, more: 1 }),
    ];
    for (const text of bad) expect(JSON.parse(await raw(address, text))).toMatchObject({ type: 'refused' });
    expect(await raw(address, 'x'.repeat(70_000))).toBe('');
    expect(calls).toEqual([]);
  });
});
