import { expect } from '@playwright/test';
import { turn } from '../fixtures/conversation';
import { runCard } from '../fixtures/run';
import { send } from '../fixtures/window';
import { approval, over, start, stop, submit } from './agent-steps';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

/** One look at the project, as the stage number `n`. */
const lookAt = (n: number) =>
  submit({
    nodes: [
      {
        id: `look${n}`,
        title: `Look at folder ${n}`,
        code: `const { total } = await tools.project.list_files({ limit: ${n} }); return { summary: total + ' files', state: { total } };`,
      },
    ],
    then: 'look',
  });

const looks = (count: number) => Array.from({ length: count }, (_, index) => lookAt(index + 1));

const rewrite = (text: string) =>
  submit({
    nodes: [
      {
        id: 'notes',
        title: 'Rewrite the notes',
        code: `await Promise.all(['todo.md', 'done.md'].map((path) => tools.filesystem.write_file({ path, content: '# Notes\\n\\n${text}\\n' }))); return { summary: 'written' };`,
      },
    ],
    answer: 'Rewrote the notes.',
  });

/** A line whose writes are approved, as turn number `n`. */
async function write(stage: Stage, n: number, text: string): Promise<void> {
  modelOf(stage).add(rewrite(text));
  if (n === 1) await start(stage, `Write “${text}” into the notes`);
  else await send(stage.page, `Write “${text}” into the notes`);
  await approval(stage.page, 'Rewrite the notes')
    .getByRole('button', { name: /^Approve/ })
    .click();
  await over(stage.page, n);
}

const undoAll = (stage: Stage, n: number): Promise<void> =>
  turn(stage.page, n)
    .getByRole('button', { name: /^Undo all/ })
    .click();

const rows: readonly StateRow[] = [
  {
    name: 'asking-back',
    reach: async (stage) => {
      modelOf(stage).add({
        text: 'There are two folders of notes. Do you mean:\n\n1. `docs/notes`\n2. `notes`?',
      });
      await start(stage, 'Tidy the notes');
      await expect(stage.page.getByText('needs you', { exact: true })).toBeAttached();
    },
  },
  {
    name: 'stage-2-of-3',
    reach: async (stage) => {
      modelOf(stage).add(...looks(2), { text: ['Never let go.'], gated: true });
      const asked = modelOf(stage).chats().length;
      await start(stage, 'Look twice, then count');
      await modelOf(stage).chat(asked + 2);
      await expect(runCard(stage.page, 1)).toBeVisible();
    },
    leave: stop,
  },
  {
    name: 'out-of-stages',
    reach: async (stage) => {
      modelOf(stage).add(...looks(6), { text: 'Six looks were not enough: I saw the files, not their use.' });
      await start(stage, 'Look until you know everything');
      await over(stage.page);
    },
  },
  {
    name: 'undone',
    reach: async (stage) => {
      await write(stage, 1, 'first');
      await undoAll(stage, 1);
      await expect(turn(stage.page, 1).getByText('Undone', { exact: true })).toHaveCount(2);
    },
  },
  {
    name: 'undo-refused',
    reach: async (stage) => {
      await write(stage, 1, 'one');
      await write(stage, 2, 'two');
      await undoAll(stage, 1);
      const refused = turn(stage.page, 1).getByRole('region', { name: 'Not undone' });
      await refused.getByRole('button', { name: 'What changed since' }).first().click();
      await refused.scrollIntoViewIfNeeded();
    },
  },
];

/** Runs in several stages, questions back, and undo. */
export const agentStageScene: Scene = {
  name: 'agent-stages',
  async open({ startModel, launchOn }) {
    const model = await startModel({ replies: [] });
    return { ...(await launchOn(model)), model };
  },
  rows,
};
