import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { offlineModel } from '#shared/model';
import { Plan } from '#shared/plan';
import { startMain, type MainHarness } from '../../../testing/main-harness';
import { must } from '../../../testing/stored-session';
import { createNodeHost } from '../../adapters/cli/node-host';
import { compose } from '../../compose/compose';
import type { Terminal } from '../output';
import { recipeSaveCommand, type RecipeSaveOptions } from './recipe';

let harness: MainHarness;
afterEach(() => harness.close());

// Only an approval: saving a run needs no sandbox.
const plan = Plan.parse({
  goal: 'Ask about ./docs',
  nodes: [{ id: 'ask', title: 'Ask', kind: 'approval', params: { place: './docs' } }],
  answer: 'Asked.',
});

function save(options: Partial<RecipeSaveOptions> = {}) {
  const said: string[] = [];
  const terminal = { json: true, out: (text: string) => void said.push(text) } as unknown as Terminal;
  const code = recipeSaveCommand(harness.app, terminal, harness.sessionId, {
    id: 'ask_docs',
    name: [],
    param: [],
    ...options,
  });
  return { code, answer: JSON.parse(said.join('')) as { file?: string; recipe?: object; code?: string } };
}

it('[REC-runs] [REC-params] [REC-unfit] a run saved in the home folder is available immediately and at the next start', async () => {
  harness = await startMain();
  const { app, sessionId, home } = harness;
  expect(save()).toMatchObject({ code: 1, answer: { code: 'NOT_FOUND' } });
  const model = await app.chosenModel();
  const line = {
    sessionId,
    text: 'Ask about ./docs',
    runMode: 'agent' as const,
    model,
    approve: 'all' as const,
  };
  await must(app.conversation.send({ ...line, provided: { plan } })).done;
  const kept = save({ name: ['place=folder'], title: 'Ask about a folder' });
  expect(kept).toMatchObject({
    code: 0,
    answer: { recipe: { id: 'ask_docs', params: [{ name: 'folder', type: 'path', default: './docs' }] } },
  });
  expect(JSON.parse(readFileSync(kept.answer.file ?? '', 'utf8'))).toEqual(kept.answer.recipe);
  expect(save()).toMatchObject({ code: 1, answer: { code: 'STATE' } });
  expect(save({ id: app.recipes()[0]?.id ?? '' })).toMatchObject({ code: 1, answer: { code: 'STATE' } });
  expect(save({ id: 'other', name: ['wrong'] })).toMatchObject({
    code: 1,
    answer: { code: 'INVALID_INPUT' },
  });
  // The recipe is immediately in the list, matches its goal with another value, and appears in the offline
  // answer.
  expect(app.recipes().map(({ id }) => id)).toContain('ask_docs');
  must(app.settings.patch({ model: offlineModel }));
  const wanted = { sessionId, model: offlineModel, runMode: 'agent' as const, approve: 'all' as const };
  const next = must(app.conversation.send({ ...wanted, text: 'ask about ./out' }));
  await next.done;
  expect(harness.turn(next.turn).run).toMatchObject({ status: 'done', recipeId: 'ask_docs' });
  const asked = must(
    app.conversation.send({ sessionId, model: offlineModel, runMode: 'ask', text: 'list the recipes' }),
  );
  await asked.done;
  expect(harness.turn(asked.turn).reply?.text).toContain('Ask about a folder');
  await app.close();
  const again = must(compose(must(createNodeHost(resolve('out/main'), { home, project: home }))));
  expect(again.recipes().find(({ id }) => id === 'ask_docs')).toMatchObject({ title: 'Ask about a folder' });
  await again.close();
});
