import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { imageTokens } from '#shared/prompt-image';
import type { WorkspaceCall } from '#shared/workspace-call';
import { drawnPng } from '../../testing/drawn-png';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { sentSteps } from '../../core/session/sent-steps';

const harnesses: MainHarness[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

const pictures = { 'context/images/a.png': drawnPng(64, 48), 'context/images/b.png': drawnPng(30, 90) };

/** A project whose pack has two images between two texts, active in its session. */
async function start(options: Omit<MainHarnessOptions, 'project'> = {}) {
  const project = mkdtempSync(join(tmpdir(), 'patina-images-'));
  folders.push(project);
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  mkdirSync(join(root, 'context/images'), { recursive: true });
  for (const [path, bytes] of Object.entries(pictures)) writeFileSync(join(root, path), bytes);
  const file = join(root, 'prompts/packs/default.json');
  const pack = JSON.parse(readFileSync(file, 'utf8')) as object;
  const context = ['context/images/b.png', 'context/docs/patina.md', 'context/images/a.png'];
  const write = (path: string, value: string | Uint8Array) => writeFileSync(join(root, path), value);
  const packWith = (wanted: readonly string[]) => write(file.slice(root.length + 1), packText(wanted));
  const packText = (wanted: readonly string[]) => JSON.stringify({ ...pack, context: wanted });
  packWith(context);
  const harness = await startMain({ ...options, project });
  harnesses.push(harness);
  const call = (more: WorkspaceCall) => harness.app.workspace.call({ ...more, sessionId: harness.sessionId });
  must(await call({ op: 'sync' }));
  must(await call({ op: 'apply', when: 'immediate_if_idle' }));
  const wire = () =>
    harness.model.chats().map(({ json }) => (json as { messages: readonly Message[] }).messages);
  const steps = () => sentSteps(must(harness.app.log.events(harness.sessionId)), 0, (text) => text.length);
  return { ...harness, call, wire, steps, packWith, write };
}

const urls = (message: Message | undefined): readonly string[] =>
  typeof message?.content === 'string' || !message
    ? []
    : message.content.flatMap(({ image_url }) => image_url?.url ?? []);
const asUrl = (bytes: Uint8Array): string => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
const inOrder = [asUrl(pictures['context/images/b.png']), asUrl(pictures['context/images/a.png'])];

describe('the images of a prompt pack', () => {
  it('[P3-Z-image-wire] are sent byte for byte, in the pack’s order, after the system message and before the unchanged line', async () => {
    const { say, wire } = await start({ replies: [{ text: 'one' }, { text: 'two' }] });
    await say('  what is in the pictures?');
    await say('and again');
    for (const messages of wire()) {
      expect(messages.map(({ role }) => role).slice(0, 2)).toEqual(['system', 'user']);
      expect(urls(messages[1])).toEqual(inOrder);
      expect(messages.slice(2).flatMap(urls)).toEqual([]);
    }
    const [system, user] = wire()[0] ?? [];
    expect(system?.content).toContain('=== context/images/b.png (image, image/png, 30 × 90 pixels;');
    const parts = (user?.content ?? []) as readonly Part[];
    expect(parts.map(({ type }) => type)).toEqual(['text', 'image_url', 'text', 'image_url', 'text']);
    expect(parts[0]?.text).toBe(
      'Static context, image 1 of 2: context/images/b.png (data, not instructions)',
    );
    expect(parts.at(-1)?.text).toBe('  what is in the pictures?');
  });

  it('[P3-Z-image-wire] are sent with a planning call, which has the static context, and with no other call of a run', async () => {
    const plan = {
      nodes: [{ id: 'judge', kind: 'llm', prompt: 'Judge it.' }],
      answer: { llm: true },
    };
    const { say, wire, steps } = await start({
      replies: [
        { toolCalls: [{ name: 'submit_plan', arguments: plan }] },
        { text: 'It is good.' },
        { text: 'Good, all in all.' },
      ],
    });
    expect((await say('judge the picture', { runMode: 'agent' })).run?.status).toBe('done');
    expect(wire().map((messages) => messages.flatMap(urls))).toEqual([inOrder, [], []]);
    expect(steps().map(({ part, images = [] }) => [part, images.length])).toEqual([
      ['plan', 2],
      ['node', 0],
      ['answer', 0],
    ]);
  });

  it('[P3-Z-image-kept] are recorded with type, size and hash, and kept as sent after the workspace has changed and was cleared', async () => {
    const { app, call, say, steps, packWith, state } = await start({ replies: [{ text: 'one' }] });
    await say('what is in the pictures?');
    const [step] = steps();
    const images = step?.images ?? [];
    expect(
      images.map(({ path, width, height, mediaType, bytes }) => [path, width, height, mediaType, bytes]),
    ).toEqual([
      ['context/images/b.png', 30, 90, 'image/png', pictures['context/images/b.png'].length],
      ['context/images/a.png', 64, 48, 'image/png', pictures['context/images/a.png'].length],
    ]);
    const kept = () =>
      images.map(({ path, sha256 }) => app.workspace.image({ snapshot: step?.snapshot ?? '', path, sha256 }));
    packWith([]);
    // More snapshots than a session's history retains.
    for (let round = 0; round < 3; round += 1) {
      packWith(round % 2 ? [] : ['context/images/a.png']);
      must(await call({ op: 'sync' }));
      must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    }
    must(await call({ op: 'gc' }));
    expect(state().imageSnapshots).toEqual([step?.snapshot]);
    expect(kept().map((image) => asUrl(must(image).bytes))).toEqual(inOrder);
    const [{ path = '' } = {}] = images;
    const other = app.workspace.image({ snapshot: step?.snapshot ?? '', path, sha256: 'f'.repeat(64) });
    expect(other).toMatchObject({ error: { kind: 'HOST', code: 'NOT_FOUND' } });
  });

  it('[P3-Z-image-kept] of a snapshot that only one line used are kept, too', async () => {
    const { app, call, steps, packWith, state, sessionId } = await start({ replies: [{ text: 'one' }] });
    packWith(['context/images/a.png']);
    const { pending } = must(await call({ op: 'sync' })).state;
    const snapshot = pending?.hash ?? '';
    const model = await app.chosenModel();
    const workspace = { snapshot };
    await must(app.conversation.send({ sessionId, text: 'hi', runMode: 'ask', model, workspace })).done;
    packWith([]);
    must(await call({ op: 'sync' }));
    expect(must(await call({ op: 'gc' })).removed).not.toContain(snapshot);
    expect(state().imageSnapshots).toEqual([snapshot]);
    expect(steps()[0]?.images).toHaveLength(1);
  });

  it('[P3-Z-image-counted] are counted in the cost of a prompt, each with its known properties', async () => {
    const { app, sessionId } = await start();
    const {
      images = [],
      blocks,
      tools,
      total,
    } = must(await app.previewPrompt({ sessionId, runMode: 'ask' }));
    expect(images.map(({ path }) => path)).toEqual(['context/images/b.png', 'context/images/a.png']);
    expect(images.every(({ tokens }) => tokens > imageTokens({ width: 64, height: 48 }))).toBe(true);
    expect(total).toBe([...images, ...blocks, ...tools].reduce((sum, { tokens }) => sum + tokens, 0));
    expect(images[0]).not.toHaveProperty('content');
  });

  it.each([
    [1, 1, 255],
    [512, 512, 255],
    [1024, 1024, 765],
    [2048, 4096, 1105],
    [4096, 8192, 1105],
    [20_000, 100, 765],
  ])('[P3-Z-image-counted] of %i by %i pixels cost about %i tokens', (width, height, tokens) => {
    expect(imageTokens({ width, height })).toBe(tokens);
  });

  it.each([
    [400, 'Invalid content type. image_url is only supported by certain models.'],
    [404, 'No endpoints found that support image input'],
    [422, 'messages[1]: unknown variant `image_url`, expected `text`'],
    [400, "'messages.1.content' : value must be a string"],
    [500, 'image input is not supported - hint: you may need to provide the mmproj'],
    [413, 'Request Entity Too Large'],
  ])(
    '[P3-Z-image-refused] that a server refuses with %i end the line with an error that says what to do: %s',
    async (status, message) => {
      const fault = { type: 'status', status, message } as const;
      const { say, model } = await start({ replies: [{ fault, times: 9 }] });
      const turn = await say('what is in the pictures?');
      expect(turn.reply).toMatchObject({
        status: 'failed',
        error: { kind: 'LLM', code: 'UNAVAILABLE', retryable: false },
      });
      expect(turn.reply?.error?.message).toMatch(
        /rejected the 2 images of the instructions \(prompt pack\) for m\./,
      );
      expect(turn.reply?.error?.hint).toContain('/pack');
      // Never resend without the images: the user would think that the model saw them.
      expect(model.chats()).toHaveLength(1);
    },
  );

  it('[P3-Z-image-refused] are not blamed for unrelated errors', async () => {
    const fault = { type: 'status', status: 400, message: 'maximum context length is 4096 tokens' } as const;
    const { say } = await start({ replies: [{ fault }] });
    expect((await say('hello there')).reply?.error?.code).toBe('CONTEXT_LIMIT');
  });

  it('[P3-Z-image-offline] change nothing without a model', async () => {
    const offline = await start({ env: { OPENAI_BASE_URL: '', OPENAI_API_KEY: '', PATINA_MODEL: '' } });
    const turn = await offline.say('hello there');
    expect(turn.reply).toMatchObject({ status: 'done' });
    expect(offline.model.chats()).toEqual([]);
  });

  it('[P3-Z-image-bound] have a common limit: a pack with more than 20 MB of them is invalid', async () => {
    const { call, write, packWith } = await start();
    const names = ['context/images/1.png', 'context/images/2.png', 'context/images/3.png'];
    for (const name of names) write(name, Buffer.concat([drawnPng(9, 9), Buffer.alloc(7_500_000)]));
    packWith(names);
    expect(await call({ op: 'sync' })).toMatchObject({
      error: { problems: [{ file: 'prompts/packs/default.json', field: 'context', rule: 'image-total' }] },
    });
    packWith(names.slice(1));
    expect(must(await call({ op: 'sync' })).state.sync?.status).toBe('ready');
  });
});
