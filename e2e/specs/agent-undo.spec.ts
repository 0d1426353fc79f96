import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { onModel, planOf, scriptNode, test } from '../fixtures/command-line';
import { turn } from '../fixtures/conversation';
import { planReply, runOver } from '../fixtures/run';
import { send, switchMode } from '../fixtures/window';

const code = `const edits = [{ oldText: 'oldName', newText: 'newName' }];
await Promise.all([
  ...['docs/a.ts', 'docs/b.ts'].map((path) => tools.filesystem.edit_file({ path, edits })),
  tools.filesystem.write_file({ path: 'docs/renamed.md', content: 'newName\\n' }),
]);
return { summary: 'renamed' };`;
const rename = planOf(
  [scriptNode('rename', code, ['mcp://filesystem.edit_file', 'mcp://filesystem.write_file'])],
  'Renamed.',
);

const before = {
  'docs/a.ts': 'export const oldName = 1;\n',
  'docs/b.ts': "import { oldName } from './a';\n",
};

function prepare(project: string): void {
  for (const [path, content] of Object.entries(before)) writeFileSync(join(project, path), content);
}

test('[UNDO-window] a rename across files is shown as one diff and undone, completely or for the files that nobody changed', async ({
  startModel,
  launchOn,
  project,
}) => {
  prepare(project);
  const model = await startModel({ replies: [planReply('Rename it', rename)] });
  const { page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'Rename it');
  await turn(page, 1)
    .getByRole('button', { name: /^Approve/ })
    .click();
  const over = await runOver(page, 1);
  const text = (path: string) => readFileSync(join(project, path), 'utf8');
  expect(text('docs/b.ts')).toContain('newName');

  await over.getByRole('button', { name: 'Show all changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'All changes of this run' });
  await expect(dialog).toContainText('3 files, 3 added, 2 removed');
  await expect(dialog.getByRole('button', { expanded: true })).toHaveCount(3);
  await expect(dialog).toContainText('export const newName = 1;');
  await dialog.getByRole('button', { expanded: true }).first().press('Enter');
  await expect(dialog.getByRole('button', { expanded: true })).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  writeFileSync(join(project, 'docs/b.ts'), 'mine\n');
  await over.getByRole('button', { name: 'Undo all 3 file changes' }).click();
  const refused = over.getByRole('region', { name: 'Not undone' });
  await expect(refused).toContainText('Nothing was undone.');
  await expect(refused).toContainText('docs/b.ts was changed after the run wrote it.');
  await refused.getByRole('button', { name: 'What changed since' }).click();
  await expect(refused.getByRole('group', { name: 'Changes in docs/b.ts since the run' })).toContainText(
    'mine',
  );
  expect(text('docs/a.ts')).toContain('newName');
  await refused.getByRole('button', { name: 'Undo the others' }).click();
  await expect(over).toContainText('2 writes were undone; these were not:');
  expect([text('docs/a.ts'), text('docs/b.ts')]).toEqual([before['docs/a.ts'], 'mine\n']);
  await expect(over.getByText('Undone', { exact: true })).toHaveCount(2);

  writeFileSync(join(project, 'docs/b.ts'), "import { newName } from './a';\n");
  await over.getByRole('button', { name: 'Undo the write to docs/b.ts' }).click();
  await expect(over.getByText('Undone', { exact: true })).toHaveCount(3);
  expect(text('docs/b.ts')).toBe(before['docs/b.ts']);
  await expect(over.getByRole('button', { name: 'Show all changes' })).toHaveCount(0);
});

test('[UNDO-cli] patina undo undoes the writes of patina agent', async ({ startModel, patina, project }) => {
  prepare(project);
  const model = await startModel({ replies: [planReply('Rename it', rename)] });
  const env = onModel(model);
  const ran = await patina(['agent', 'Rename it', '--approve', 'all', '--json'], { env });
  expect(ran.json()).toMatchObject({
    outcome: 'done',
    writes: Array(3).fill({ outcome: 'made', undo: 'possible' }),
  });
  const runId = String(ran.json()['runId']);
  const shown = await patina(['undo', runId, '--diff'], { env });
  expect(shown.stdout).toContain('-export const oldName = 1;\n+export const newName = 1;\n');
  const undone = await patina(['undo', runId, '--json'], { env });
  expect(undone.code).toBe(0);
  expect(undone.json()).toMatchObject({
    runId,
    undone: [{ result: 'deleted' }, { result: 'restored' }, { result: 'restored' }],
    refused: [],
  });
  for (const [path, content] of Object.entries(before))
    expect(readFileSync(join(project, path), 'utf8')).toBe(content);
});

for (const command of ['agent', 'ask']) {
  test(`[UNDO-line] patina ${command} "undo that" asks in the named session, and a yes undoes`, async ({
    startModel,
    patina,
    project,
  }) => {
    prepare(project);
    const model = await startModel({ replies: [planReply('Rename it', rename)] });
    const env = onModel(model);
    const ran = await patina(['agent', 'Rename it', '--approve', 'all', '--json'], { env });
    const sessionId = String(ran.json()['sessionId']);
    const say = (text: string) => patina([command, text, '--session', sessionId, '--json'], { env });
    const asked = await say('undo that');
    expect([asked.code, asked.json()]).toMatchObject([
      0,
      { sessionId, question: { options: ['Yes', 'No'] } },
    ]);
    expect(readFileSync(join(project, 'docs/a.ts'), 'utf8')).toContain('newName');
    const done = await say('yes');
    expect([done.code, done.json()]).toMatchObject([0, { sessionId, command: { commandId: 'UndoRun' } }]);
    for (const [path, content] of Object.entries(before))
      expect(readFileSync(join(project, path), 'utf8')).toBe(content);
    expect(model.chats()).toHaveLength(1);
  });
}
