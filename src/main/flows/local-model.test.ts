import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { localProviderId } from '#shared/local-model';
import { totalSpent } from '#shared/spent';
import { choiceSchema, choicesFor } from '../../core/agent/choose-recipe';
import { buildEntry } from '../../testing/build-entry';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { startScriptedModel } from '../../testing/scripted-model';
import { must } from '../../testing/stored-session';
import { startModelHub } from '../../testing/model-hub';
import { offeredTiny, tinyGguf } from '../../testing/tiny-gguf';
import { modelDownloadCommand } from '../cli/commands/model';
import type { Terminal } from '../cli/output';
import { createScriptedLocalModel } from '../../testing/scripted-local-model';

let bundle = '';
beforeAll(async () => {
  bundle = await buildEntry('main/adapters/local-model/model-process.ts', ['node-llama-cpp']);
}, 120_000);

let folder = '';
let harness: MainHarness;
const unset = { OPENAI_BASE_URL: '', OPENAI_API_KEY: '', PATINA_MODEL: '' };
async function start(options: MainHarnessOptions = {}): Promise<MainHarness['app']> {
  folder = mkdtempSync(join(tmpdir(), 'patina-local-flow-'));
  writeFileSync(join(folder, 'tiny.gguf'), tinyGguf());
  harness = await startMain({ env: unset, modelProcess: bundle, ...options });
  return harness.app;
}
async function end(): Promise<void> {
  await harness.close();
  rmSync(folder, { recursive: true, force: true });
}
afterEach(end);

const checkOf = async (app: MainHarness['app']) =>
  (await app.doctor()).find(({ name }) => name === 'local model');

describe('[LOCAL-ask] a model on this computer', () => {
  it('is optional: doctor says that it is missing, and how to add one', async () => {
    const app = await start();
    expect(await checkOf(app)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^not installed; .*patina model import FILE/) as string,
    });
    expect(await app.chosenModel()).toMatchObject({ providerId: 'offline' });
    expect(existsSync(join(harness.home, 'models'))).toBe(false);
  }, 240_000);

  it('answers once it is imported, for free, also when the monthly limit is used up', async () => {
    const app = await start();
    must(await app.localModels.add(join(folder, 'tiny.gguf')));
    must(
      app.settings.patch({
        monthlyLimit: 1,
        limitAction: 'stop',
        modelOptions: { [`${localProviderId}/tiny`]: { maxOutputTokens: 40 } },
      }),
    );
    expect(await checkOf(app)).toMatchObject({ ok: true, detail: 'tiny' });
    expect(await app.chosenModel()).toEqual({ providerId: localProviderId, model: 'tiny' });
    const turn = await harness.say('Tell me a story about copper.');
    expect(turn.model).toEqual({ providerId: localProviderId, model: 'tiny' });
    expect(turn.reply?.text).not.toBe('');
    expect(turn.spent && totalSpent(turn.spent)).toMatchObject({ calls: 1 });
    expect(must(app.usage.report({ by: 'model' })).total.cost).toEqual({ usd: 0, unpriced: 0 });
  }, 240_000);
});

describe('[LOCAL-ask] a provider that the user named “local”', () => {
  it('answers as before, beside a model on this computer', async () => {
    const lab = await startScriptedModel({ replies: [{ text: 'From the lab.' }], models: ['m'] });
    try {
      const providers = [{ id: 'local', name: 'Lab', baseUrl: lab.baseUrl, model: 'm' }];
      const app = await start({
        prepareHome: (home) => writeFileSync(join(home, 'providers.json'), JSON.stringify({ providers })),
      });
      must(await app.localModels.add(join(folder, 'tiny.gguf')));
      must(app.settings.patch({ model: { providerId: 'local', model: 'm' } }));
      expect((await harness.say('Where are you?')).reply?.text).toBe('From the lab.');
      const listed = (await app.models.listModels(true)).map(({ providerId }) => providerId);
      expect(listed).toEqual(['local', localProviderId, 'offline']);
    } finally {
      await lab.close();
    }
  }, 60_000);
});

describe('[LOCAL-mirror] the model to download', () => {
  it("comes from the user's row and from a mirror, with its licence, size and host in the terminal", async () => {
    const hub = await startModelHub();
    try {
      const row = JSON.stringify(offeredTiny('https://models.example/models/tiny.gguf'));
      const app = await start({ prepareHome: (home) => writeFileSync(join(home, 'local-model.json'), row) });
      expect(app.localModels.view().offer).toMatchObject({
        name: 'tiny',
        from: 'models.example',
        received: 0,
      });
      const printed: string[] = [];
      const print = (text: string) => void printed.push(text);
      const terminal = {
        out: print,
        log: print,
        json: false,
        onInterrupt: () => () => undefined,
      } as unknown as Terminal;
      expect(await modelDownloadCommand(app, terminal, { from: 'not an address' })).toBe(1);
      expect(await modelDownloadCommand(app, terminal, { from: hub.origin })).toBe(0);
      expect(printed.join('\n')).toMatch(/Tiny \(CC0-1\.0\), 2\.\d MB.*Downloaded "tiny"\./s);
      expect(app.localModels.view()).toMatchObject({ models: [{ name: 'tiny' }], offer: null });
      expect(await app.chosenModel()).toEqual({ providerId: localProviderId, model: 'tiny' });
    } finally {
      await hub.close();
    }
  }, 240_000);

  it.each([
    ['a wrong field', Buffer.from('{"name": "tiny", "bytes": -1}'), 'local-model.json: bytes'],
    ['no JSON', Buffer.from('{"name": '), 'local-model.json: '],
    ['no text', Buffer.from([0xff, 0xfe, 0x7b]), 'It is not UTF-8 text.'],
  ])(
    'is reported at each start while the row has %s: Patina offers its own, and the file stays as it is',
    async (_, row, detail) => {
      const home = mkdtempSync(join(tmpdir(), 'patina-local-row-'));
      const file = join(home, 'local-model.json');
      writeFileSync(file, row);
      for (const isFirst of [true, false]) {
        const app = await start({ at: home });
        const notice = app.notices.all().find(({ id }) => id === 'model-file');
        expect(notice?.detail).toContain(detail);
        expect(notice?.hint).toContain(`Fix ${file}, which Patina did not change;`);
        expect(app.localModels.view().offer).toMatchObject({ licence: 'Apache-2.0', from: 'huggingface.co' });
        expect(readFileSync(file)).toEqual(row);
        if (isFirst) await end();
      }
      rmSync(home, { recursive: true });
    },
    240_000,
  );
});

describe('a goal for a model on this computer', () => {
  const searchText = 'mcp://project.search_text';
  const goal = 'Compare the copper mines of Chile with those of Peru.';

  it('[LOCAL-no-plan] is refused with what to do, unless the user marked the model as calling tools', async () => {
    const model = createScriptedLocalModel(() => JSON.stringify({ recipe: null, params: {} }));
    const app = await start({ startLocalModel: model.start });
    must(await app.localModels.add(join(folder, 'tiny.gguf')));
    const { run } = await harness.say(goal, { runMode: 'agent' });
    expect(run?.error).toMatchObject({
      message: expect.stringMatching(
        /too small to plan\. It found no recipe or tool for this goal\./,
      ) as string,
      hint: expect.stringContaining('/recipe') as string,
    });
    must(app.settings.patch({ modelOptions: { [`${localProviderId}/tiny`]: { tools: true } } }));
    expect(app.models.planRefusal?.({ providerId: localProviderId, model: 'tiny' })).toBeNull();
  }, 240_000);

  it('[LOCAL-recipe] is a recipe whose plan waits, with a value from the goal', async () => {
    const model = createScriptedLocalModel(() => '{"recipe": "count_todos", "params": {"path": "lib"}}');
    await start({ startLocalModel: model.start });
    must(await harness.app.localModels.add(join(folder, 'tiny.gguf')));
    const proposed = harness.next('plan-proposed');
    const sent = await harness.send('Where in lib did we leave work for later?', { runMode: 'agent' });
    await proposed;
    const { run } = harness.turn(sent.turn);
    expect(run).toMatchObject({
      status: 'planning',
      proposal: { recipeId: 'count_todos', suggested: true, params: { path: 'lib' } },
    });
    must(harness.app.runs.rejectPlan({ sessionId: harness.sessionId, runId: run?.runId ?? '' }));
    await sent.done;
    expect(harness.turn(sent.turn).run).toMatchObject({ status: 'cancelled', nodes: [] });
  }, 240_000);

  it('[LOCAL-recipe] is the call of a tool that waits, and runs after the click', async () => {
    const choice = { recipe: searchText, params: { query: 'copper', path: 'docs', maxMatches: null } };
    const model = createScriptedLocalModel(() => JSON.stringify(choice));
    const project = mkdtempSync(join(tmpdir(), 'patina-local-project-'));
    writeFileSync(join(project, 'mines.txt'), 'iron\ncopper\n');
    await start({ startLocalModel: model.start, project });
    must(await harness.app.localModels.add(join(folder, 'tiny.gguf')));
    const proposed = harness.next('plan-proposed');
    const sent = await harness.send('Who speaks of copper here?', { runMode: 'agent' });
    await proposed;
    const { run } = harness.turn(sent.turn);
    expect(run).toMatchObject({ status: 'planning', nodes: [] });
    const { stage = 0, planHash = '', plan, suggested } = run?.proposal ?? {};
    expect(suggested).toBe(true);
    expect(plan?.nodes.map(({ params }) => params)).toEqual([{ arguments: { query: 'copper' } }]);
    const place = { sessionId: harness.sessionId, runId: run?.runId ?? '' };
    must(await harness.app.runs.review(place, { stage, planHash }, { resume: false }));
    await sent.done;
    expect(harness.turn(sent.turn).run).toMatchObject({ status: 'done', suggested: true });
    expect(harness.turn(sent.turn).run?.answer).toContain('mines.txt');
    rmSync(project, { recursive: true });
  }, 240_000);

  it('[LOCAL-recipe] is answered with a choice of the grammar, whatever the weights are', async () => {
    const app = await start();
    must(await app.localModels.add(join(folder, 'tiny.gguf')));
    const { tools } = must(await app.toolCalls.list(app.project() ?? ''));
    const choices = choicesFor(goal, app.recipes(), tools);
    expect(choices.map(({ id }) => id)).toEqual(expect.arrayContaining(['count_todos', searchText]));
    const schema = choiceSchema(choices);
    const request = {
      model: { providerId: localProviderId, model: 'tiny' },
      messages: [{ role: 'user' as const, content: goal }],
      maxOutputTokens: 600,
      responseFormat: { type: 'json' as const, schema },
    };
    let reply = '';
    for await (const event of app.models.stream(request, new AbortController().signal))
      if (event.type === 'text') reply += event.text;
    const Choice = z.strictObject({
      recipe: z.enum(choices.map(({ id }) => id)).nullable(),
      params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    });
    expect(Choice.safeParse(JSON.parse(reply)).error).toBeUndefined();
  }, 240_000);
});

describe('[LOCAL-title] the title of a session that a model on this computer answers', () => {
  const line = 'Can you compare the copper mines of Chile with those of Peru for me, please?';
  const titled = (title: string) => JSON.stringify({ title });
  const scripted = (title: () => string | null) =>
    createScriptedLocalModel(({ json }) => (json === undefined ? 'Chile has more copper.' : title()));
  const begin = async (model: ReturnType<typeof scripted>) => {
    const app = await start({ startLocalModel: model.start });
    must(await app.localModels.add(join(folder, 'tiny.gguf')));
    return app;
  };
  /** Resolves when another title was asked for and its call was recorded. */
  const nextTitle = () =>
    new Promise<void>((resolve) => {
      const stop = harness.app.log.subscribe((events) => {
        if (!events.some((event) => event.type === 'model-called' && event.part === 'title')) return;
        stop();
        resolve();
      });
    });

  it('is written by that model after the first answer, from the conversation in its cache', async () => {
    const model = scripted(() => titled('"Copper mines: Chile and Peru."'));
    await begin(model);
    const done = nextTitle();
    const turn = await harness.say(line);
    expect(turn.reply?.text).toBe('Chile has more copper.');
    await done;
    expect(harness.state().title).toBe('Copper mines: Chile and Peru');
    const [reply, title] = model.asked;
    expect(title?.messages.slice(0, -2)).toEqual(reply?.messages);
    await harness.say('And Bolivia?');
    expect(model.asked.filter(({ json }) => json !== undefined)).toHaveLength(1);
  }, 60_000);

  it('stays that of the line when the model writes no title, and is asked for three times at most', async () => {
    const written = ['', titled(''), titled('zzz qqq'), titled('Copper')];
    const model = scripted(() => written.shift() ?? null);
    await begin(model);
    for (const text of [line, 'And Bolivia?', 'And Spain?']) {
      const done = nextTitle();
      await harness.say(text);
      await done;
      expect(harness.state().title).toMatch(/^Can you compare the copper mines/);
    }
    await harness.say('And Zambia?');
    expect(written).toEqual([titled('Copper')]);
  }, 60_000);

  it('stops for the next message, which does not wait for it', async () => {
    const model = scripted(() => null);
    await begin(model);
    await harness.say(line);
    await expect.poll(() => model.asked.length).toBe(2);
    expect((await harness.say('And Bolivia?')).reply?.text).toBe('Chile has more copper.');
    expect(model.stopped()).toBe(1);
  }, 60_000);

  it('stays the one that the user gave, also while the model writes', async () => {
    const model = scripted(() => {
      must(harness.app.log.append(harness.sessionId, [{ type: 'session-renamed', title: 'Mine' }]));
      return titled('Copper mines');
    });
    await begin(model);
    const done = nextTitle();
    await harness.say(line);
    await done;
    expect(harness.state().title).toBe('Mine');
  }, 60_000);

  it('is not asked of other models', async () => {
    await start({ env: {}, replies: [{ text: 'Chile.' }] });
    await harness.say(line);
    expect(harness.model.requests).toHaveLength(1);
  }, 60_000);
});

describe('[LOCAL-propose] the action that a model on this computer takes a line for', () => {
  const line = 'make the background black';

  it('comes first in the list of suggestions, chosen under a grammar; it starts and records nothing', async () => {
    const replies = ['', '{"action": null}', '{"action": "erase-disk"}', 'black'];
    const model = createScriptedLocalModel(() => replies.shift() ?? '');
    const app = await start({ startLocalModel: model.start });
    must(await app.localModels.add(join(folder, 'tiny.gguf')));
    must(app.settings.patch({ searchByMeaning: false }));
    const before = JSON.stringify([harness.state(), app.settings.get()]);
    const wanted = app.info().actions[3]?.actionId ?? '';
    replies[0] = JSON.stringify({ action: wanted });
    expect(await app.nearActions(line, 'tiny')).toEqual([wanted]);
    for (const _ of ['null', 'unknown', 'no JSON']) expect(await app.nearActions(line, 'tiny')).toEqual([]);
    const [asked] = model.asked;
    expect(JSON.stringify(asked?.json)).toContain(`"${wanted}"`);
    expect(asked?.messages.at(-1)).toEqual({ role: 'user', content: line });
    expect(JSON.stringify([harness.state(), app.settings.get()])).toBe(before);
    expect(await app.nearActions(line)).toBeNull();
    expect(model.asked).toHaveLength(4);
  }, 60_000);

  it('stops for the next message, which does not wait for it', async () => {
    const model = createScriptedLocalModel(({ json, messages }) => {
      if (messages.at(-1)?.content === line) return null;
      return json === undefined ? 'Chile has more copper.' : '{}';
    });
    const app = await start({ startLocalModel: model.start });
    must(await app.localModels.add(join(folder, 'tiny.gguf')));
    must(app.settings.patch({ searchByMeaning: false }));
    const near = app.nearActions(line, 'tiny');
    await expect.poll(() => model.asked.length).toBe(1);
    expect((await harness.say('Which country has more copper?')).reply?.text).toBe('Chile has more copper.');
    expect(await near).toEqual([]);
    expect(model.stopped()).toBe(1);
  }, 20_000);

  it('does not change what the router decides', async () => {
    const model = createScriptedLocalModel(() => '{"action": null}');
    const app = await start({ startLocalModel: model.start });
    must(await app.localModels.add(join(folder, 'tiny.gguf')));
    const corpus = ['ordinary', 'control', 'window-lines'].flatMap((name) => {
      const file = join(import.meta.dirname, '../../../e2e/corpus', `${name}.json`);
      const { lines } = JSON.parse(readFileSync(file, 'utf8')) as {
        readonly lines: readonly (string | { readonly line: string })[];
      };
      return lines.map((one) => (typeof one === 'string' ? one : one.line));
    });
    const decisions = async (): Promise<string> => {
      const routed: unknown[] = [];
      for (const each of corpus) routed.push(await app.lines.preview(each, { state: null, ui: true }));
      return JSON.stringify(routed);
    };
    // The first pass loads the lists that lines can name.
    await decisions();
    const before = await decisions();
    await app.nearActions(line, 'tiny');
    expect(await decisions()).toBe(before);
    expect(model.asked).toHaveLength(1);
  }, 120_000);

  it('is one of the actions, whatever the weights are', async () => {
    const app = await start();
    must(await app.localModels.add(join(folder, 'tiny.gguf')));
    must(app.settings.patch({ searchByMeaning: false }));
    const near = await app.nearActions(line, 'tiny');
    if (!near) throw new Error('Nothing looked for an action.');
    const { commands } = app.plane.view(null);
    const ids = [
      ...app.info().actions.map(({ actionId }) => actionId),
      ...commands.map(({ commandId }) => commandId),
    ];
    expect(ids).toEqual(expect.arrayContaining([...near]));
    expect(near.length).toBeLessThan(2);
  }, 240_000);
});
