import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { planOf, scriptNode } from '../fixtures/command-line';
import { ask, newestSession, turn } from '../fixtures/conversation';
import { runOver } from '../fixtures/run';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';

const look = scriptNode(
  'look',
  "const { text } = await tools.project.read_text({ path: 'docs/c.txt' }); return { summary: 'looked', state: { text } };",
  ['mcp://project.read_text'],
);
const write = "await tools.filesystem.write_file({ path: 'docs/new.txt', content: 'new' });";
const work = scriptNode(
  'work',
  `${write} await tools.project.read_text({ path: 'docs/nowhere.txt' }); return { summary: 'read', state: { n: 1 } };`,
  ['mcp://filesystem.write_file', 'mcp://project.read_text'],
);
const plan = planOf([look, { ...work, deps: ['look'] }], 'It has {{work.n}} characters.');
const otherWay = {
  answer: 'It has {{work.n}} characters.',
  nodes: [
    {
      id: 'work',
      deps: ['look'],
      code: `${write} return { summary: 'counted', state: { n: inputs.look.text.length } };`,
    },
  ],
};

test('[AGX-replan] [AGX-replan-shown] the model continues after a failed step in the real window, and no write is repeated', async ({
  startModel,
  launchOn,
  project,
}) => {
  const model = await startModel({
    replies: [
      { toolCalls: [{ name: 'submit_plan', arguments: plan }] },
      { toolCalls: [{ name: 'submit_plan', arguments: otherWay }] },
    ],
  });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'How long is it?');
  await turn(page, 1).getByRole('button', { name: 'Approve' }).click();
  const ended = await runOver(page, 1);
  await expect(ended).toContainText('It has 12 characters.');
  expect(readFileSync(join(project, 'docs/new.txt'), 'utf8')).toBe('new');
  expect(existsSync(join(project, 'docs/nowhere.txt'))).toBe(false);

  expect(model.chats()).toHaveLength(2);
  const again = (await model.chat(1)).text;
  expect(again).toContain('NOT_FOUND');
  expect(again).toContain('docs/nowhere.txt');
  const { blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
  const run = blocks[0]?.[0]?.run;
  expect(run?.writes.map(({ outcome }) => outcome)).toEqual(['done']);
  expect(run?.stages).toHaveLength(2);
  expect(run?.nodes.find(({ id }) => id === 'work')?.status).toBe('done');
});
