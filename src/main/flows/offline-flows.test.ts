import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { offlineModel } from '#shared/model';
import { turnAt, type Turn } from '#shared/session-state';
import { planOf } from '../../testing/agent-plans';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';
import { createScriptedLocalModel } from '../../testing/scripted-local-model';
import { must } from '../../testing/stored-session';
import { tinyGguf } from '../../testing/tiny-gguf';
import { calls } from '../../testing/workflow-harness';

let home: string;
let harness: MainHarness;
const unset = { OPENAI_BASE_URL: '', OPENAI_API_KEY: '', PATINA_MODEL: '' };
const start = async (options: MainHarnessOptions = {}): Promise<MainHarness> =>
  (harness = await startMain({ at: home, ...options }));
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'patina-offline-'));
});
afterEach(async () => {
  await harness.close();
  rmSync(home, { recursive: true, force: true });
});

/** Sends a line in a session of an earlier start. */
async function sayIn(sessionId: string, text: string): Promise<Turn> {
  const { app } = harness;
  must(app.log.open(sessionId));
  const model = await app.chosenModel(sessionId);
  const sent = must(await app.lines.send({ sessionId, text, runMode: 'ask', ui: true, model }));
  await sent.done;
  const found = turnAt(must(app.log.peek(sessionId)), sent.turn);
  if (!found) throw new Error('The line is not there.');
  return found;
}

describe('replies of the offline provider', () => {
  it('[OFF-not-sent] never reach a model, also from an earlier start; the user’s lines do', async () => {
    await start({ env: unset });
    const first = await harness.say('what is a mutex?');
    expect(first.reply?.text).toContain('No model');
    const { sessionId } = harness;
    await harness.close();
    await start({ replies: [{ text: 'It counts.' }] });
    await sayIn(sessionId, 'and a semaphore?');
    const [chat] = harness.model.chats();
    const { messages } = chat?.json as { messages: { role: string; content: string }[] };
    expect(messages.filter(({ role }) => role !== 'system')).toEqual([
      { role: 'user', content: 'what is a mutex?' },
      { role: 'user', content: 'and a semaphore?' },
    ]);
    expect(JSON.stringify(messages)).not.toContain('built-in text');
  });

  it('[OFF-not-sent] nor does a model read that no model could plan a goal', async () => {
    await start({ env: unset });
    const goal = await harness.say('Write a poem about the sea', { runMode: 'agent' });
    expect(goal.run?.error?.message).toContain('no model is connected');
    const { sessionId } = harness;
    await harness.close();
    await start({ replies: [{ text: 'It waves.' }] });
    await sayIn(sessionId, 'and the wind?');
    const [chat] = harness.model.chats();
    const { messages } = chat?.json as { messages: { role: string; content: string }[] };
    expect(messages.filter(({ role }) => role !== 'system')).toEqual([
      { role: 'user', content: 'Write a poem about the sea' },
      { role: 'assistant', content: '(The run ended as failed.)' },
      { role: 'user', content: 'and the wind?' },
    ]);
  });
});

describe('a missing provider', () => {
  it('[OFF-never-silent] is named when a session continues; offline answers once it is chosen', async () => {
    await start({ replies: [{ text: 'Hello.' }] });
    await harness.say('hello');
    const { sessionId } = harness;
    await harness.close();
    await start({ env: unset });
    const turn = await sayIn(sessionId, 'and now?');
    expect(turn.model.providerId).toBe('environment');
    expect(turn.reply?.error).toMatchObject({
      kind: 'HOST',
      code: 'NOT_FOUND',
      message: 'The model provider of the environment is not set up any more.',
      hint: expect.stringContaining('Set OPENAI_BASE_URL') as string,
    });
    must(harness.app.settings.patch({ model: offlineModel }));
    const chosen = await sayIn(sessionId, 'and now?');
    expect(chosen.reply?.error).toBeUndefined();
    expect(chosen.model.providerId).toBe('offline');
  });

  it('[OFF-never-silent] is not replaced by another one, unless the user chose that', async () => {
    await start({ replies: [{ text: 'Hello.' }] });
    await harness.say('hello');
    const { sessionId } = harness;
    await harness.close();
    await start({ env: unset, replies: [{ text: 'From Acme.' }] });
    const provider = { id: 'acme', name: 'Acme', baseUrl: harness.model.baseUrl, model: 'm' };
    must(harness.app.providers.save({ provider }));
    const turn = await sayIn(sessionId, 'and now?');
    expect(turn.model.providerId).toBe('environment');
    expect(turn.reply?.error).toMatchObject({ kind: 'HOST', code: 'NOT_FOUND' });
    expect(await harness.app.chosenModel()).toEqual({ providerId: 'acme', model: 'm' });
    must(harness.app.settings.patch({ model: { providerId: 'acme', model: 'm' } }));
    expect((await sayIn(sessionId, 'and now?')).reply?.text).toBe('From Acme.');
  });

  it('[OFF-never-silent] is named when a picker is closed for the model, and on the next line', async () => {
    await start({ replies: [{ text: 'Hello.' }] });
    await harness.say('hello');
    const { sessionId } = harness;
    await harness.close();
    await start({ env: unset });
    const { app } = harness;
    must(app.log.open(sessionId));
    const line = { sessionId, text: 'switch mode', runMode: 'ask' as const, ui: true };
    const sent = must(await app.lines.send({ ...line, model: await app.chosenModel() }));
    expect(sent.routing.action.type).toBe('open-picker');
    await must(app.lines.closePicker(sessionId, sent.turn, 'model')).pending;
    const gone = {
      code: 'NOT_FOUND',
      message: 'The model provider of the environment is not set up any more.',
    };
    expect(turnAt(must(app.log.peek(sessionId)), sent.turn)?.reply?.error).toMatchObject(gone);
    expect((await sayIn(sessionId, 'and now?')).reply?.error).toMatchObject(gone);
  });

  it('[OFF-last-model] is ignored if a recipe ran without a model', async () => {
    await start();
    const recipe = await harness.say('count TODO and FIXME by folder', { runMode: 'agent' });
    expect(recipe.run).toMatchObject({ status: 'done', usage: { modelTurns: 0 } });
    const { sessionId } = harness;
    await harness.close();
    await start({ env: unset });
    expect((await sayIn(sessionId, 'hello')).reply?.text).toContain('No model');
  });

  it('[OFF-last-model] is requested if a run called it', async () => {
    const plan = planOf([{ id: 'say', title: 'Say', kind: 'llm', prompt: 'Say hello.' }], '{{say.text}}');
    await start({ replies: [calls('submit_plan', plan), { text: 'hello' }] });
    expect((await harness.say('say hello in a step', { runMode: 'agent' })).run?.status).toBe('done');
    const { sessionId } = harness;
    await harness.close();
    await start({ env: unset });
    expect((await sayIn(sessionId, 'hello')).model.providerId).toBe('environment');
  });

  it('[OFF-never-silent] is named when the user chose it, and when only its key is missing', async () => {
    await start();
    must(harness.app.settings.patch({ model: { providerId: 'acme', model: 'm' } }));
    const gone = await harness.say('hello');
    expect(gone.reply?.error?.message).toBe('The provider "acme" is not set up any more.');
    const provider = { id: 'acme', name: 'Acme', baseUrl: harness.model.baseUrl };
    must(harness.app.providers.save({ provider, key: 'k' }));
    await harness.close();
    // The environment names no model: that one would be used instead of the stored choice.
    await start({ env: unset });
    const keyless = await harness.say('hello');
    expect(keyless.reply?.error).toMatchObject({
      kind: 'CONFIG',
      code: 'MISSING',
      message: expect.stringContaining('The key of the provider "Acme" cannot be used.') as string,
    });
  });
});

describe('an unreadable providers file', () => {
  const file = () => join(home, 'providers.json');
  const breakFile = () => writeFileSync(file(), '{"providers":[{"id":"acme","name":"Acme","baseUrl":7}]}');

  it('[OFF-broken-file] fails each line for a model with file, field and reason; commands and recipes still work', async () => {
    breakFile();
    await start({ env: unset });
    const error = {
      kind: 'CONFIG',
      code: 'INVALID',
      problems: [
        { file: file(), field: 'providers[0].baseUrl', reason: expect.stringMatching(/\w/) as string },
      ],
    };
    const asked = await harness.say('hello');
    expect(asked.reply).toMatchObject({ text: '', error });
    const goal = await harness.say('Write a poem about the sea', { runMode: 'agent' });
    expect(goal.run).toMatchObject({ status: 'failed', error });
    expect((await harness.say('switch to DDR mode')).command?.status).toBe('done');
    const recipe = await harness.say('count TODO and FIXME by folder', { runMode: 'agent' });
    expect(recipe.run?.status).toBe('done');
    rmSync(file());
    expect((await harness.say('hello')).reply?.text).toContain('No model');
  });

  it('[OFF-broken-file] is not made good by a model on this computer', async () => {
    const model = createScriptedLocalModel(() => 'From this computer.');
    writeFileSync(join(home, 'tiny.gguf'), tinyGguf());
    await start({ env: unset, startLocalModel: model.start });
    must(await harness.app.localModels.add(join(home, 'tiny.gguf')));
    expect((await harness.say('hello')).reply?.text).toBe('From this computer.');
    breakFile();
    const { id: sessionId } = must(harness.app.log.create(null));
    const asked = await sayIn(sessionId, 'hello');
    expect(asked.reply).toMatchObject({ text: '', error: { kind: 'CONFIG', code: 'INVALID' } });
  });

  it('[OFF-broken-file] keeps offline available to users who chose it', async () => {
    breakFile();
    await start({ env: unset });
    must(harness.app.settings.patch({ model: offlineModel }));
    expect((await harness.say('hello')).reply?.text).toContain('No model');
  });
});
