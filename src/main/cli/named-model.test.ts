import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { turnAt } from '#shared/session-state';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { startScriptedModel, type ScriptedModel } from '../../testing/scripted-model';
import { agentCommand } from './commands/agent';
import { askCommand } from './commands/ask';
import type { Terminal } from './output';

let harness: MainHarness;
let lab: ScriptedModel | null = null;
afterEach(async () => {
  await harness.close();
  await lab?.close();
  lab = null;
});

function terminal() {
  const printed: string[] = [];
  const write = (piece: string) => void printed.push(piece);
  const parts = {
    interactive: false,
    json: false,
    out: write,
    log: write,
    onInterrupt: () => () => undefined,
  };
  return { terminal: parts as Partial<Terminal> as Terminal, printed: () => printed.join('\n') };
}

async function ask(model: string) {
  const { terminal: shown, printed } = terminal();
  const code = await askCommand(harness.app, shown, 'hi', { model });
  return { code, printed: printed() };
}
it('[MDL-named] names the model of one line, with its provider or without', async () => {
  harness = await startMain({
    models: ['alpha-1', 'shared-1'],
    replies: [{ match: 'hi', text: 'Hello.' }],
    env: { PATINA_MODEL: 'alpha-1' },
  });
  lab = await startScriptedModel({
    models: ['shared-1', 'house/large'],
    replies: [{ match: 'hi', text: 'Hello.' }],
  });
  const { home, app } = harness;
  const providers = [{ id: 'lab', name: 'Lab', baseUrl: lab.baseUrl }];
  const asked = () =>
    [harness.model, lab].map((model) => model?.chats().map(({ json }) => (json as { model: string }).model));
  writeFileSync(join(home, 'providers.json'), JSON.stringify({ providers }));
  await app.models.listModels(true);
  for (const name of ['alpha-1', 'environment/unlisted', 'lab/shared-1', 'house/large', 'lab/house/large'])
    expect(await ask(name)).toMatchObject({ code: 0 });
  const all = [
    ['alpha-1', 'unlisted'],
    ['shared-1', 'house/large', 'house/large'],
  ];
  expect(asked()).toEqual(all);
  expect(app.settings.get().model).toMatchObject({ model: 'alpha-1' });

  const both = await ask('shared-1');
  expect(both.code).toBe(1);
  expect(both.printed).toContain('environment/shared-1, lab/shared-1');
  const near = await ask('alpa-1');
  expect(near.printed).toContain('No provider lists a model "alpa-1".');
  expect(near.printed).toContain('Did you mean environment/alpha-1?');
  expect((await ask('LARGE')).printed).toContain('lab/house/large');
  expect(asked()).toEqual(all);
});

it('[MDL-vanished] a chosen model that its provider no longer lists is called, and the error names it', async () => {
  const fault = { type: 'status', status: 404, message: 'This model was retired.' } as const;
  harness = await startMain({ models: ['alpha-1'], replies: [{ fault }, { text: 'Never.' }] });
  const { app, model } = harness;
  app.settings.patch({ model: { providerId: 'environment', model: 'retired-1' } });
  const { terminal: shown, printed } = terminal();
  expect(await askCommand(app, { ...shown, json: true }, 'hi', {})).toBe(1);
  expect(JSON.parse(printed())).toMatchObject({ kind: 'LLM', code: 'UNAVAILABLE' });
  expect(printed()).toContain('no model \\"retired-1\\"');
  expect(printed()).toContain('This model was retired.');
  expect(model.chats().map(({ json }) => (json as { model: string }).model)).toEqual(['retired-1']);
});

it('[MDL-vanished] a session without a chosen model stays with the one that answered, and the error names it', async () => {
  const listed = ['alpha-1', 'beta-2'];
  const fault = { type: 'status', status: 404, message: 'This model was retired.' } as const;
  const replies = [{ text: 'Hello.' }, { fault }, { text: 'Hello again.' }];
  harness = await startMain({ env: { PATINA_MODEL: '' }, models: listed, replies });
  const { app, model, sessionId } = harness;
  const ask = async () => {
    const { terminal: shown, printed } = terminal();
    return { code: await askCommand(app, shown, 'hi', { session: sessionId }), printed: printed() };
  };
  expect((await ask()).code).toBe(0);
  listed.shift();
  await app.models.listModels(true);
  const gone = await ask();
  expect(gone.code).toBe(1);
  expect(gone.printed).toContain('no model "alpha-1"');
  expect(await app.chosenModel()).toMatchObject({ model: 'beta-2' });
  app.settings.patch({ model: { providerId: 'environment', model: 'beta-2' } });
  expect((await ask()).code).toBe(0);
  const asked = model.chats().map(({ json }) => (json as { model: string }).model);
  expect(asked).toEqual(['alpha-1', 'alpha-1', 'beta-2']);
});

it('[MDL-named] patina agent takes a model and an effort, and runs the goal of a turn again', async () => {
  harness = await startMain({
    models: ['alpha-1', 'beta-2'],
    replies: [{ text: 'Nothing to do.' }, { text: 'Still nothing.' }],
  });
  const { app, sessionId } = harness;
  const first = terminal();
  const goal = { session: sessionId, model: 'beta-2', effort: 'low' } as const;
  expect(await agentCommand(app, first.terminal, 'Do it', goal)).toBe(0);
  const again = terminal();
  expect(await agentCommand(app, again.terminal, '', { session: sessionId, regenerate: 0 })).toBe(0);
  expect(again.printed()).toContain('Still nothing.');
  expect(turnAt(harness.state(), 1)).toMatchObject({ text: 'Do it', runMode: 'agent', regenerates: 0 });
  const sent = harness.model.chats().map(({ json }) => json as Record<string, unknown>);
  expect(sent.map((body) => [body['model'], body['reasoning_effort']])).toEqual([
    ['beta-2', 'low'],
    ['m', 'low'],
  ]);
});
