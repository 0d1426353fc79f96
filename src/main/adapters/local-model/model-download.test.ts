import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildEntry } from '../../../testing/build-entry';
import { createManualClock } from '../../../testing/manual-clock';
import { deadPid, testLock } from '../../../testing/test-lock';
import { startLoopbackProxy } from '../../../testing/loopback-proxy';
import { startModelHub, type HubAnswer, type ModelHub } from '../../../testing/model-hub';
import { must } from '../../../testing/stored-session';
import { offeredTiny, tinyGguf } from '../../../testing/tiny-gguf';
import { proxiesOf, type Proxies } from '../system/proxied-fetch';
import { addressOf, createModelDownload } from './model-download';
import { createModelFolder } from './model-folder';

let home = '';
let hub: ModelHub;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'patina-download-'));
  hub = await startModelHub();
});
afterEach(async () => {
  await hub.close();
  rmSync(home, { recursive: true, force: true });
});

function setUp(proxies: () => Proxies | null = () => null) {
  const time = createManualClock();
  const folder = createModelFolder(home);
  const offer = offeredTiny(hub.address);
  const download = createModelDownload({ folder, clock: time.clock, lock: testLock, proxies });
  const start = (how: HubAnswer) => {
    hub.answer(how);
    return download.start(offer, new URL(offer.address));
  };
  const files = () => (existsSync(folder.folder) ? readdirSync(folder.folder).sort() : []);
  return { time, folder, offer, download, start, files };
}

/** Resolves when a download has received something. */
const firstBytes = (
  download: ReturnType<typeof setUp>['download'],
  offer: ReturnType<typeof setUp>['offer'],
) => expect.poll(() => download.state(offer).received).toBeGreaterThan(0);

describe('[LOCAL-download] the download of a model', () => {
  it.each(['whole', 'redirect', 'no-ranges'] as const)(
    'installs the file with the expected hash (%s)',
    async (how) => {
      const { folder, offer, start, files, download } = setUp();
      expect(must(await start(how))).toMatchObject({ name: 'tiny', bytes: offer.bytes });
      expect(readFileSync(folder.fileOf('tiny')).equals(tinyGguf())).toBe(true);
      expect(files()).toEqual(['tiny.gguf']);
      expect(download.state(offer)).toEqual({ received: 0, running: false });
    },
  );

  it('resumes where an earlier attempt ended, also after a restart of Patina', async () => {
    const { offer, start, files, download } = setUp();
    expect(await start('cut')).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE', retryable: true } });
    const half = download.state(offer).received;
    expect(half).toBeGreaterThan(0);
    expect(files()).toEqual(['tiny.gguf.part']);
    const second = setUp();
    expect(second.download.state(offer)).toEqual({ received: half, running: false });
    must(await second.start('whole'));
    expect(hub.ranges).toEqual(['', `bytes=${half}-`]);
    expect(second.files()).toEqual(['tiny.gguf']);
  });

  it('starts over when the server ignores ranges', async () => {
    const { start, files } = setUp();
    await start('cut');
    must(await start('no-ranges'));
    expect(files()).toEqual(['tiny.gguf']);
  });

  it('stops immediately and loses nothing', async () => {
    const { start, download, offer } = setUp();
    const ended = start('paused');
    await firstBytes(download, offer);
    expect(download.state(offer).running).toBe(true);
    download.stop();
    expect(await ended).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    expect(download.state(offer)).toEqual({ received: expect.any(Number) as number, running: false });
    expect(download.state(offer).received).toBeGreaterThan(0);
    must(await start('whole'));
  });

  it('reports the last bytes that arrive before a pause', async () => {
    const { start, download, offer, time } = setUp();
    const reported: number[] = [];
    download.onProgress(() => void reported.push(download.state(offer).received));
    const ended = start('paused');
    await expect.poll(() => download.state(offer).received).toBeGreaterThanOrEqual(offer.bytes / 2);
    time.advance(250);
    expect(reported.at(-1)).toBe(Math.ceil(offer.bytes / 2));
    download.stop();
    await ended;
  });

  it('runs once, however often it is started', async () => {
    const { start, folder, download, offer } = setUp();
    const first = start('paused');
    await firstBytes(download, offer);
    const second = start('paused');
    hub.resume();
    expect(must(await first)).toEqual(must(await second));
    expect(hub.ranges).toEqual(['']);
    expect(folder.find('tiny')).not.toBeNull();
  });

  it('is left to the process that started it, unless that process is dead', async () => {
    const [first, second] = [setUp(), setUp()];
    const ended = first.start('paused');
    await firstBytes(first.download, first.offer);
    expect(await second.start('whole')).toMatchObject({
      error: { code: 'STORAGE', message: expect.stringMatching(/locked/) as string },
    });
    first.download.stop();
    await ended;
    writeFileSync(`${first.folder.partOf('tiny')}.lock`, `${deadPid} lock`);
    must(await second.start('whole'));
    expect(second.files()).toEqual(['tiny.gguf']);
  });

  it('ends when the server stops sending', async () => {
    const { start, time, download, offer } = setUp();
    for (const how of ['paused', 'silent'] as const) {
      const ended = start(how);
      await expect.poll(() => hub.ranges.length).toBeGreaterThan(0);
      if (how === 'paused') await firstBytes(download, offer);
      await expect.poll(() => time.timers()).toBe(2);
      time.advance(31_000);
      const failed = await ended;
      expect(failed).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
      expect(failed.ok ? '' : failed.error.message).toContain('30 seconds');
    }
  });

  it.each([
    ['longer', 'larger than'],
    ['other', 'SHA-256'],
  ] as const)('removes a file other than the expected one (%s)', async (how, words) => {
    const { start, files, offer, download } = setUp();
    const failed = await start(how);
    expect(failed).toMatchObject({ ok: false, error: { code: 'INVALID_REPLY' } });
    expect(failed.ok ? '' : failed.error.message).toContain(words);
    expect(files()).toEqual([]);
    expect(download.state(offer).error?.code).toBe('INVALID_REPLY');
  });

  it('does not trust the content of the part file', async () => {
    const { start, files, folder, offer } = setUp();
    mkdirSync(folder.folder, { recursive: true });
    writeFileSync(folder.partOf('tiny'), Buffer.alloc(1000));
    expect(await start('whole')).toMatchObject({ error: { code: 'INVALID_REPLY' } });
    expect(files()).toEqual([]);
    writeFileSync(folder.partOf('tiny'), Buffer.alloc(offer.bytes + 1));
    must(await start('whole'));
    writeFileSync(folder.partOf('tiny'), tinyGguf());
    rmSync(folder.fileOf('tiny'));
    hub.answer('missing');
    must(await start('missing'));
    expect(statSync(folder.fileOf('tiny')).size).toBe(offer.bytes);
  });

  it.each([
    ['missing', 'status 404'],
    ['loop', 'again and again'],
    ['bad-redirect', 'not secure'],
    ['shorter', 'its size differs'],
    ['page', 'a web page'],
  ] as const)('reports what the server did (%s)', async (how, words) => {
    const failed = await setUp().start(how);
    expect(failed.ok ? '' : failed.error.message).toContain(words);
  });

  it.each(['shorter', 'longer', 'page'] as const)(
    'keeps what has arrived when the server sends another file (%s)',
    async (how) => {
      const { start, folder, files } = setUp();
      await start('cut');
      const part = readFileSync(folder.partOf('tiny'));
      expect(await start(how)).toMatchObject({ error: { code: 'INVALID_REPLY' } });
      expect(readFileSync(folder.partOf('tiny')).equals(part)).toBe(true);
      must(await start('whole'));
      expect(hub.ranges.at(-1)).toBe(`bytes=${part.length}-`);
      expect(files()).toEqual(['tiny.gguf']);
    },
  );

  it('refuses a range other than the requested one', async () => {
    const { start } = setUp();
    await start('cut');
    expect(await start('wrong-range')).toMatchObject({ error: { code: 'INVALID_REPLY' } });
  });

  it('reports an unreachable server, and an unwritable folder', async () => {
    const { start, folder } = setUp();
    mkdirSync(dirname(folder.folder), { recursive: true });
    writeFileSync(folder.folder, 'a file');
    expect(await start('whole')).toMatchObject({ error: { kind: 'HOST', code: 'STORAGE' } });
    rmSync(folder.folder);
    await hub.close();
    const failed = await start('whole');
    expect(failed.ok ? '' : failed.error.message).toContain('cannot be reached');
    hub = await startModelHub();
  });
});

describe.runIf(process.platform === 'linux')('[LOCAL-download] a disk that fills up', () => {
  it('is said to be full, and nothing is installed', async () => {
    const { start, folder, files, download, offer } = setUp();
    mkdirSync(folder.folder, { recursive: true });
    symlinkSync('/dev/full', folder.partOf('tiny'));
    const error = {
      ...{ kind: 'HOST', code: 'STORAGE', message: 'The disk is full, so the model was not stored.' },
      hint: 'Free some space and try again.',
    };
    expect(await start('whole')).toMatchObject({ ok: false, error });
    expect(download.state(offer)).toMatchObject({ received: 0, running: false, error });
    expect(folder.list()).toEqual([]);
    expect(files()).toEqual(['tiny.gguf.part']);
    rmSync(folder.partOf('tiny'));
    must(await start('whole'));
    expect(download.state(offer)).not.toHaveProperty('error');
  });

  it('keeps what has been written, for the next attempt', async () => {
    const { start, folder, files, offer } = setUp();
    const child = await buildEntry('testing/downloading-child.ts');
    const kilobytes = Math.floor(offer.bytes / 2048);
    const command = `ulimit -f ${kilobytes}; exec "$0" "$@"`;
    const run = await promisify(execFile)('bash', [
      '-c',
      command,
      process.execPath,
      child,
      home,
      hub.address,
    ]);
    expect(JSON.parse(run.stdout)).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STORAGE' } });
    expect(files()).toEqual(['tiny.gguf.part']);
    const written = readFileSync(folder.partOf('tiny'));
    expect(written.equals(tinyGguf().subarray(0, kilobytes * 1024))).toBe(true);
    must(await start('whole'));
    expect(hub.ranges).toEqual(['', `bytes=${written.length}-`]);
    expect(readFileSync(folder.fileOf('tiny')).equals(tinyGguf())).toBe(true);
    expect(files()).toEqual(['tiny.gguf']);
  }, 60_000);
});

describe('[LOCAL-mirror] the address of a model', () => {
  const offer = offeredTiny('https://models.example/a/resolve/1/tiny.gguf');

  it.each([
    ['', 'https://models.example/a/resolve/1/tiny.gguf'],
    ['https://mirror.example', 'https://mirror.example/a/resolve/1/tiny.gguf'],
    [' http://mirror.example:81/hub/ ', 'http://mirror.example:81/hub/a/resolve/1/tiny.gguf'],
  ])('at the mirror %j', (mirror, address) => {
    expect(must(addressOf(offer, mirror)).href).toBe(address);
  });

  it.each(['mirror', 'ftp://mirror.example', 'file:///tmp'])('refuses the mirror %s', (mirror) => {
    expect(addressOf(offer, mirror)).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  });
});

describe('[LOCAL-proxy] the download of a model through a proxy', () => {
  const address = new URL('http://models.example/models/tiny.gguf');
  const port = (): number => Number(new URL(hub.origin).port);

  it('tunnels to the host of the model, also after a redirect', async () => {
    const proxy = await startLoopbackProxy(port);
    try {
      const { download, offer, files } = setUp(() => proxiesOf(proxy.address, {}));
      for (const how of ['whole', 'redirect'] as const) {
        hub.answer(how);
        expect(await download.start(offer, address)).toMatchObject({ ok: true });
        expect(files()).toEqual(['tiny.gguf']);
      }
      expect(new Set(proxy.hosts)).toEqual(new Set(['models.example:80']));
    } finally {
      await proxy.close();
    }
  });

  it('connects directly to a host that needs none', async () => {
    const proxy = await startLoopbackProxy(port);
    try {
      const { start } = setUp(() => proxiesOf(proxy.address, { NO_PROXY: '127.0.0.1' }));
      expect(await start('whole')).toMatchObject({ ok: true });
      expect(proxy.hosts).toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  it.each(['http://127.0.0.1:9', 'no address'])(
    'says that a proxy is in use when it fails: %s',
    async (own) => {
      const { download, offer } = setUp(() => proxiesOf(own, {}));
      expect(await download.start(offer, address)).toMatchObject({
        ok: false,
        error: { code: 'UNAVAILABLE', hint: expect.stringContaining('through a proxy') as string },
      });
    },
  );

  it('takes the proxy of the settings before those of the environment, in small letters before large ones', () => {
    expect(proxiesOf('', {})).toBeNull();
    expect(proxiesOf(' ', { NO_PROXY: 'a.example' })).toBeNull();
    const env = { https_proxy: 'http://b:1', HTTPS_PROXY: 'http://c:1', HTTP_PROXY: 'http://d:1' };
    expect(proxiesOf('', env)).toEqual({ http: 'http://d:1', https: 'http://b:1', except: '' });
    expect(proxiesOf('http://a:1', { ...env, NO_PROXY: '.example' })).toEqual({
      http: 'http://a:1',
      https: 'http://a:1',
      except: '.example',
    });
  });
});
