import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { test } from '../fixtures/command-line';
import { runCard, runOver } from '../fixtures/run';
import { send, switchMode } from '../fixtures/window';

test('[AGENT-recipe] [AGENT-live] [SET-mode] a goal that matches a recipe runs visibly and answers exactly', async ({
  launch,
  home,
}) => {
  const { page } = await launch();
  await switchMode(page, 'Agent Mode');
  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(window, { seen });
    const look = () => {
      const card = document.querySelector('section[aria-label="Run"]');
      if (card) seen.add(card.textContent.replaceAll(/\d+(\.\d+)? m?s(?![a-z])/g, 'time'));
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  await send(page, 'find duplicate files in ./docs');
  const answer = await runOver(page, 1);
  await expect(answer.getByRole('cell', { name: 'docs/a.txt, docs/deep/b.txt' })).toBeVisible();
  await expect(answer).toContainText('1 group of identical files in docs: 1 copy could go, 15 bytes in all');
  await expect(answer).toContainText('5 files looked at');
  await expect(answer.getByRole('row')).toHaveCount(2);
  const seen = await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
  expect(seen.some((text) => text.includes('Planning'))).toBe(true);
  expect(seen.some((text) => text.includes('0/1 step') && text.includes('Running'))).toBe(true);
  expect(seen.at(-1)).toContain('1/1 step');

  await runCard(page, 1).getByRole('button', { name: 'Show 1 step' }).click();
  await expect(runCard(page, 1)).toContainText('5 files, 1 group of duplicates, 1 copy');
  await expect(runCard(page, 1)).toContainText('recipe find_duplicates');
  await expect(runCard(page, 1)).toContainText('1 call');
  await runCard(page, 1).getByRole('button', { name: 'Open in the inspector' }).click();
  const node = page.getByRole('article', { name: 'Step Compare sizes, then content' });
  await expect(node).toContainText('Done');
  await expect(node).toContainText('tools.project.find_duplicates');
  await expect(node).toContainText('"wastedBytes": 15');
  const calls = node.getByRole('group');
  await expect(calls).toHaveCount(1);
  await calls.locator('summary').click();
  await expect(calls.getByLabel('Arguments')).toContainText('"docs"');
  await expect(node).toContainText('CPU');
  expect(JSON.parse(readFileSync(join(home, 'ui_settings.json'), 'utf8'))).toMatchObject({ mode: 'agent' });
});

interface Found {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Every file of a folder, read completely: the slow and simple method that the recipes are compared with. */
function everyFile(root: string): readonly Found[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.patina'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(root, file), bytes: readFileSync(file) }));
}

function duplicates(files: readonly Found[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { path, bytes } of files) {
    const hash = createHash('sha256').update(bytes).digest('hex');
    groups.set(hash, [...(groups.get(hash) ?? []), path]);
  }
  const repeated = [...groups.values()].filter(({ length }) => length > 1);
  return repeated.map((paths) => paths.sort().join('\n')).sort();
}

function todos(files: readonly Found[]): Record<string, { TODO: number; FIXME: number }> {
  const rows: Record<string, { TODO: number; FIXME: number }> = {};
  for (const { path, bytes } of files) {
    if (bytes.subarray(0, 8_000).includes(0)) continue;
    const text = bytes.toString('utf8');
    const [TODO, FIXME] = [/\bTODO\b/g, /\bFIXME\b/g].map((word) => text.match(word)?.length ?? 0);
    if (!TODO && !FIXME) continue;
    const row = (rows[dirname(path)] ??= { TODO: 0, FIXME: 0 });
    row.TODO += TODO ?? 0;
    row.FIXME += FIXME ?? 0;
  }
  return rows;
}

function types(files: readonly Found[]): Record<string, { files: number; bytes: number }> {
  const rows: Record<string, { files: number; bytes: number }> = {};
  for (const { path, bytes } of files) {
    const row = (rows[extname(path).toLowerCase() || '(none)'] ??= { files: 0, bytes: 0 });
    row.files += 1;
    row.bytes += bytes.length;
  }
  return rows;
}

/** Real packages with fonts, pictures and minified code, and a few files made to be mistaken for something else. */
function fillWithRealFiles(project: string): void {
  for (const name of ['katex', 'playwright-core', '@fontsource-variable/inter'])
    cpSync(resolve('node_modules', name), join(project, name), { recursive: true });
  mkdirSync(join(project, 'odd', 'ünï cödé'), { recursive: true });
  const binary = Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from('TODO FIXME'), Buffer.alloc(70_000, 7)]);
  writeFileSync(join(project, 'odd', 'one.bin'), binary);
  writeFileSync(join(project, 'odd', 'ünï cödé', 'two.BIN'), binary);
  writeFileSync(join(project, 'odd', 'same-size.bin'), Buffer.concat([binary.subarray(1), Buffer.from([1])]));
  writeFileSync(join(project, 'odd', 'empty'), '');
  writeFileSync(join(project, 'odd', 'empty.too'), '');
  writeFileSync(join(project, 'odd', '.dotfile'), 'TODO\r\nTODOS todo TODO_ TODO: FIXME\n');
}

test('[REC-three] [AGENT-recipe] the three recipes are exact on a real folder with binaries', async ({
  patina,
  project,
}) => {
  fillWithRealFiles(project);
  const files = everyFile(project);
  const artifactOf = async (recipe: string): Promise<readonly Record<string, never>[]> => {
    const ran = await patina(['recipe', 'run', recipe, '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    const [artifact] = ran.json()['artifacts'] as { handle: string }[];
    const hash = artifact?.handle.split('/').at(-1) ?? '';
    const kept = join(project, '.patina/artifacts', hash.slice(0, 2), hash);
    return JSON.parse(readFileSync(kept, 'utf8')) as Record<string, never>[];
  };
  const groups = (await artifactOf('find_duplicates')) as unknown as { paths: string[] }[];
  expect(groups.map(({ paths }) => [...paths].sort().join('\n')).sort()).toEqual(duplicates(files));
  const folders = (await artifactOf('count_todos')) as unknown as {
    folder: string;
    TODO: number;
    FIXME: number;
  }[];
  expect(Object.fromEntries(folders.map(({ folder, TODO, FIXME }) => [folder, { TODO, FIXME }]))).toEqual(
    todos(files),
  );
  const rows = (await artifactOf('folder_summary')) as unknown as {
    type: string;
    files: number;
    bytes: number;
  }[];
  expect(Object.fromEntries(rows.map(({ type, ...row }) => [type, row]))).toEqual(types(files));
});
