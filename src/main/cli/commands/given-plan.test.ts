import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startMain, type MainHarness } from '../../../testing/main-harness';
import type { Terminal } from '../output';
import { createProgram } from '../program';
import { agentCommand } from './agent';
import { askCommand } from './ask';
import { recipeRunCommand } from './recipe';

let harness: MainHarness;
afterEach(() => harness.close());

function terminal() {
  const printed: string[] = [];
  const write = (piece: string) => void printed.push(piece);
  const parts = {
    ...{ interactive: false, json: false },
    ...{ out: write, log: write, onInterrupt: () => () => undefined },
  };
  return { terminal: parts as Partial<Terminal> as Terminal, printed: () => printed.join('\n') };
}

const sessions = () => {
  const listed = harness.app.log.summaries({ archived: false });
  return listed.ok ? listed.value.length : -1;
};

it.each([
  ['no_such_recipe', [], 'There is no recipe "no_such_recipe".'],
  ['count_todos', ['zz=1'], 'has no parameter "zz"'],
  ['count_todos', ['path=/'], 'outside the project'],
])('[REC-refused-early] %s with %j is refused and leaves no session', async (id, param, reason) => {
  harness = await startMain();
  const before = sessions();
  const { terminal: shown, printed } = terminal();
  expect(await recipeRunCommand(harness.app, shown, id, { param })).toBe(1);
  expect(printed()).toContain(reason);
  expect(sessions()).toBe(before);
});

// Only an approval: the plan needs no sandbox.
const nodes = [{ id: 'ask', title: 'Ask', kind: 'approval' }];
const plan = { goal: 'Ask the owner', nodes, answer: 'Asked.' };

it.each([
  ['one plan', plan],
  ['several stages', { stages: [plan], answer: 'Asked.' }],
])('[CLI-plan-goal] the goal of a plan file is used without another: %s', async (_, content) => {
  harness = await startMain();
  const file = join(harness.home, 'plan.json');
  writeFileSync(file, JSON.stringify(content));
  const { sessionId: session } = harness;
  const { terminal: shown } = terminal();
  expect(await agentCommand(harness.app, shown, undefined, { plan: file, session, approve: 'all' })).toBe(0);
  expect(harness.state().blocks.flat()[0]?.text).toBe('Ask the owner');
});

it.each([
  ['ask', (app: MainHarness['app'], shown: Terminal) => askCommand(app, shown, '  ', {})],
  ['agent', (app: MainHarness['app'], shown: Terminal) => agentCommand(app, shown, '', {})],
])('%s with an empty text is used wrongly', async (_, command) => {
  harness = await startMain();
  const { terminal: shown, printed } = terminal();
  expect(await command(harness.app, shown)).toBe(2);
  expect(printed()).toContain('There is nothing to send.');
});

it('[CLI-plan-goal] a plan file without a goal needs one beside it', async () => {
  harness = await startMain();
  const file = join(harness.home, 'plan.json');
  writeFileSync(file, JSON.stringify({ nodes, answer: 'Asked.' }));
  const before = sessions();
  const { terminal: shown, printed } = terminal();
  expect(await agentCommand(harness.app, shown, undefined, { plan: file })).toBe(1);
  expect(printed()).toContain('There is no goal.');
  expect(sessions()).toBe(before);
});

it('[CLI-json] the turn of a recipe to save is a number', async () => {
  harness = await startMain();
  const unused = () => Promise.resolve();
  const program = createProgram('0', unused, () => undefined, unused);
  const parsed = program.parseAsync(['recipe', 'save', 's', '--id', 'x', '--turn', 'last'], { from: 'user' });
  await expect(parsed).rejects.toThrow('Give the number of a turn; turns count from 0.');
});
