import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { maxAttachedFileBytes, type ContextItem } from '#shared/context-item';
import { sentSteps } from '../../core/session/sent-steps';
import { drawnPng } from '../../testing/drawn-png';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let harness: MainHarness | null = null;
let project = '';
beforeEach(() => void (project = mkdtempSync(join(tmpdir(), 'patina-attach-'))));
afterEach(async () => {
  await harness?.close();
  harness = null;
  rmSync(project, { recursive: true, force: true });
});

interface Part {
  readonly type: string;
  readonly text?: string;
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

/** Main on a project, with the wire's messages and a way to attach files of the project. */
async function start(options: MainHarnessOptions = {}) {
  const started = await startMain({ ...options, project });
  harness = started;
  const { app, sessionId, model } = started;
  const attach = (path: string, confirmed = false) =>
    app.attach({ source: { type: 'path', path }, base: project, confirmed });
  const item = async (path: string): Promise<ContextItem> => {
    const attached = must(await attach(path));
    if (attached.type !== 'attached') throw new Error(attached.why);
    return attached.item;
  };
  const sendWith = async (text: string, items: ContextItem[], runMode: 'ask' | 'agent' = 'ask') => {
    const line = { sessionId, text, runMode, model: await app.chosenModel(), ui: true, items };
    return must(await app.lines.send(line)).done;
  };
  const wire = (at: number) => (model.chats()[at]?.json as { messages: readonly Message[] }).messages;
  return { ...started, attach, item, sendWith, wire };
}

const put = (path: string, content: string | Uint8Array): void => {
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), content);
};
const lastUser = (messages: readonly Message[]): string => {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
};

it('[ITEM-refused] a missing, binary, huge or special file is a typed error; a folder becomes its listing', async () => {
  put('bin.dat', Uint8Array.of(1, 0, 2));
  put('src/a.ts', 'a');
  put('src/b.ts', 'b');
  put('big.txt', '');
  truncateSync(join(project, 'big.txt'), maxAttachedFileBytes + 1);
  put('long.txt', 'x'.repeat(1_000_001));
  execFileSync('mkfifo', [join(project, 'pipe')]);
  const { attach, item, app } = await start();
  const failure = async (path: string) => {
    const attached = await attach(path);
    return attached.ok ? attached.value : `${attached.error.code} ${attached.error.message}`;
  };
  expect(await failure('none.txt')).toBe('NOT_FOUND There is no file none.txt.');
  expect(await failure('bin.dat')).toContain('INVALID_INPUT bin.dat is a binary file');
  expect(await failure('big.txt')).toContain('big.txt is too large: 25.0 MB');
  expect(await failure('long.txt')).toContain('long.txt is too large: 1.0 MB of text');
  expect(await failure('pipe')).toContain('neither a file nor a folder');
  expect(await failure('../other')).toContain('outside the project folder');
  const folder = await item('src');
  expect(folder).toMatchObject({ kind: 'folder', ref: 'src' });
  expect(Buffer.from(must(app.readItem(folder.hash))).toString()).toBe('a.ts\nb.ts');
});

it('[ITEM-secret] content that looks like a secret is not stored before the user confirms it', async () => {
  put('.env', 'PORT=1');
  put('notes.md', `token: ghp_${'a1B2'.repeat(9)}`);
  put('.env.example', 'PORT=');
  put('login.ts', 'const password = input.value;');
  const { attach, home } = await start();
  const asked = async (path: string) => must(await attach(path)).type;
  expect(await Promise.all(['.env', 'notes.md', '.env.example', 'login.ts'].map(asked))).toEqual([
    'looks-secret',
    'looks-secret',
    'attached',
    'attached',
  ]);
  expect(readdirSync(join(home, 'items'))).toHaveLength(2);
  expect(must(await attach('.env', true))).toMatchObject({ type: 'attached', item: { ref: '.env' } });
});

it('[ITEM-repeat] an item is sent with its line, repeated by regenerate, kept for later turns, forked, and erased with its last session', async () => {
  put('docs/pick.ts', 'export const UNIQUEMARK = 1;\n');
  const { app, sessionId, item, sendWith, wire, say } = await start({
    replies: [{ text: 'one' }, { text: 'again' }, { text: 'more' }, { text: 'forked' }],
  });
  const picked = await item('docs/pick.ts');
  await sendWith('What does this file export?', [picked]);
  rmSync(join(project, 'docs/pick.ts'));
  expect(lastUser(wire(0))).toContain('export const UNIQUEMARK = 1;');
  await must(app.conversation.regenerate({ sessionId, turn: 0, model: await app.chosenModel() })).done;
  expect(wire(1).slice(1)).toEqual(wire(0).slice(1));
  await say('And now?');
  expect(JSON.stringify(wire(2))).toContain('UNIQUEMARK');
  const [step] = sentSteps(must(app.log.events(sessionId)), 0, (text) => text.length);
  expect(step?.items).toEqual([picked]);
  expect(must(app.log.replay(sessionId))).toMatchObject({ equal: true });

  const copy = must(app.log.fork(sessionId, 2)).id;
  must(app.log.remove(sessionId));
  expect(app.readItem(picked.hash).ok).toBe(true);
  await must(
    await app.lines.send({
      sessionId: copy,
      text: 'go on',
      runMode: 'ask',
      model: await app.chosenModel(),
      ui: true,
    }),
  ).done;
  expect(JSON.stringify(wire(3))).toContain('UNIQUEMARK');
  must(app.log.remove(copy));
  expect(app.readItem(picked.hash).ok).toBe(false);
});

it('[ITEM-repeat] a waiting line keeps its items, and missing content is a clear error', async () => {
  put('a.txt', 'FIRSTITEM');
  const { app, sessionId, item, sendWith, wire, send } = await start({
    replies: [{ text: 'one' }, { text: 'two' }],
  });
  const first = await send('first');
  const waiting = sendWith('second', [await item('a.txt')]);
  await Promise.all([first.done, waiting]);
  expect(lastUser(wire(1))).toContain('FIRSTITEM');
  const gone: ContextItem = { kind: 'file', ref: 'gone.txt', hash: 'b'.repeat(64), bytes: 1, tokens: 1 };
  const model = await app.chosenModel();
  const refused = await app.lines.send({
    sessionId,
    text: 'x',
    runMode: 'ask',
    model,
    ui: true,
    items: [gone],
  });
  expect(refused).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
});

it('[ITEM-image] an image is sent as an image part of its own message', async () => {
  const png = drawnPng(40, 30);
  put('shot.png', png);
  const { item, sendWith, wire, say } = await start({ replies: [{ text: 'one' }, { text: 'two' }] });
  const shot = await item('shot.png');
  expect(shot).toMatchObject({ kind: 'image', mediaType: 'image/png', bytes: png.length });
  await say('hello');
  await sendWith('what is it?', [shot]);
  const user = wire(1).filter(({ role }) => role === 'user');
  expect(typeof user[0]?.content).toBe('string');
  const parts = (user[1]?.content ?? []) as readonly Part[];
  expect(parts.map(({ type }) => type)).toEqual(['text', 'image_url', 'text']);
  expect(parts[0]?.text).toBe('Attached image 1: "shot.png"');
  expect(JSON.stringify(parts[1])).toContain(Buffer.from(png).toString('base64'));
});

it('[ITEM-agent] short items are sent in full, long ones by shape, and a script reads both', async () => {
  put('short.txt', 'SHORTMARK');
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${id}` }));
  put('rows.json', JSON.stringify(rows));
  const code =
    'const [first, second] = [inputs.attached[1], inputs.attached[2]]; return { summary: "counted", state: { first, rows: second.length, last: second.at(-1).name } };';
  const plan = { code, answer: '{{work.first}} {{work.rows}} {{work.last}}' };
  const { item, sendWith, wire, state } = await start({
    replies: [{ toolCalls: [{ name: 'submit_plan', arguments: plan }] }],
  });
  const done = await sendWith('count the rows', [await item('short.txt'), await item('rows.json')], 'agent');
  expect(done).toMatchObject({ run: { outcome: 'done', answer: 'SHORTMARK 2000 row 1999' } });
  const line = lastUser(wire(0));
  expect(line).toContain('SHORTMARK');
  expect(line).toContain('"type":"array","length":2000');
  expect(line).toContain('{"id":"attached","path":"/2"}');
  expect(line).not.toContain('row 1000');
  const [run] = state()
    .blocks.flat()
    .flatMap((turn) => turn.run ?? []);
  const origins = run?.nodes[0]?.origins ?? [];
  expect(origins.filter(({ trusted }) => !trusted).map(({ source }) => source)).toEqual([
    'attached: short.txt',
    'attached: rows.json',
  ]);
});
