import { expect } from '@playwright/test';
import { onModel, test } from '../fixtures/command-line';

test('[TREE-commands] the command line regenerates, branches, moves the head and forks', async ({
  startModel,
  patina,
}) => {
  const model = await startModel({
    replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Two again.' }, { text: 'Beside.' }],
  });
  const env = onModel(model);
  const first = (await patina(['ask', 'one', '--json'], { env })).json();
  const session = String(first['sessionId']);
  const on = ['--session', session, '--json'];
  await patina(['ask', 'two', ...on], { env });
  expect((await patina(['ask', '--regenerate', '1', ...on], { env })).json()).toMatchObject({
    text: 'Two again.',
  });
  const again = await model.chat(2);
  expect(again.text).toContain('One.');
  expect(again.text).not.toContain('Two.');

  expect((await patina(['ask', 'beside', '--parent', '0', ...on], { env })).json()).toMatchObject({
    text: 'Beside.',
  });
  expect((await patina(['session', 'show', session])).stdout).not.toContain('Two');
  expect((await patina(['session', 'head', session, '2', '--json'])).json()).toEqual({
    id: session,
    head: 2,
  });
  expect((await patina(['session', 'show', session])).stdout).toContain('Two again.');
  const exported = (await patina(['session', 'export', session])).stdout;
  expect(exported).not.toContain('Beside.');
  expect(exported).toContain('One of several branches: turns 1, 3 (counted from 1).');
  expect((await patina(['session', 'export', session, '--turn', '3'])).stdout).toContain('Beside.');
  const shown = (await patina(['session', 'show', session, '--json'])).json();
  expect(shown).toMatchObject({ path: [0, 2], queue: [], compacted: null });
  expect(shown['turns']).toMatchObject([
    { turn: 0, parent: -1, siblings: { lines: [0], replies: [0] } },
    { turn: 1, parent: 0, siblings: { lines: [1, 3], replies: [1, 2] } },
    { turn: 2, parent: 0, regenerates: 1, siblings: { lines: [2, 3], replies: [1, 2] } },
    { turn: 3, parent: 0, siblings: { lines: [2, 3], replies: [3] } },
  ]);

  const forked = (await patina(['session', 'fork', session, '--turn', '1', '--json'])).json();
  expect(forked['from']).toEqual({ sessionId: session, turn: 1 });
  const copy = String(forked['sessionId']);
  await patina(['session', 'delete', session, '--yes']);
  expect((await patina(['session', 'show', copy])).stdout).toContain('Two.');
  expect((await patina(['session', 'replay', copy, '--json'])).json()).toMatchObject({ equal: true });
});

test('[TREE-commands] a missing turn, or one without a session, is a clear error', async ({
  startModel,
  patina,
}) => {
  const env = onModel(await startModel({ replies: [{ text: 'One.' }] }));
  const session = String((await patina(['ask', 'one', '--json'], { env })).json()['sessionId']);
  for (const args of [
    ['session', 'head', session, '9'],
    ['session', 'fork', session, '--turn', '9'],
    ['session', 'export', session, '--turn', '9'],
    ['ask', '--regenerate', '9', '--session', session],
    ['ask', 'x', '--parent', '9', '--session', session],
  ]) {
    const { code, stderr } = await patina(args, { env });
    expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining('This session has no turn 9.')]);
  }
  for (const [args, says] of [
    [['ask', 'x', '--parent', '0'], 'Name it with --session'],
    [['ask', 'x', '--parent', 'two', '--session', session], 'turns count from 0'],
    [['ask', 'x', '--regenerate', '0', '--session', session], 'cannot be used with a text'],
  ] as const) {
    const { code, stderr } = await patina(args, { env });
    expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(says)]);
  }
});
