import { execFile } from 'node:child_process';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { commandFile, test } from '../fixtures/command-line';

const folder = resolve('docs/user');
const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((page) => ({ page, text: readFileSync(join(folder, page), 'utf8') }))
  .filter(({ text }) => text.includes('```console'));

/** A fenced block: a file that the page has the reader write, or commands (`$ …`) with some lines of their output. */
interface Block {
  readonly info: string;
  readonly text: string;
}

const blocksOf = (page: string): readonly Block[] =>
  [...page.matchAll(/^```((?:json|md|console)[^\n]*)\n([\s\S]*?)^```/gm)].map(([, info = '', text = '']) => ({
    info,
    text,
  }));

interface Step {
  readonly command: string;
  readonly shown: string[];
}

function stepsOf({ text }: Block): readonly Step[] {
  const steps: Step[] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), shown: [] });
    else steps.at(-1)?.shown.push(line);
  }
  return steps;
}

const optionOf = ({ info }: Block, name: string): string | undefined =>
  new RegExp(`${name}=(?:"([^"]*)"|(\\S+))`).exec(info)?.slice(1).find(Boolean);

interface Place {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

const runIn = ({ project, env }: Place, command: string): Promise<{ code: number; said: string }> =>
  new Promise((done) => {
    const child = execFile('sh', ['-c', command], { cwd: project, env }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
    });
    child.stdin?.end();
  });

/** A home and a project as a reader may have them, with `patina` on the path. */
async function placeFor(home: string, project: string): Promise<Place> {
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'patina'), `#!/bin/sh\nexec '${process.execPath}' '${commandFile}' "$@"\n`);
  await chmod(join(bin, 'patina'), 0o755);
  await mkdir(join(project, 'src'), { recursive: true });
  await mkdir(join(project, 'docs'), { recursive: true });
  await writeFile(join(project, 'src/index.js'), '// TODO: begin\n');
  await writeFile(join(project, 'docs/a.md'), 'The same.\n');
  await writeFile(join(project, 'docs/b.md'), 'The same.\n');
  await symlink(resolve('examples'), join(project, 'examples'));
  const path = `${bin}:${process.env['PATH'] ?? ''}`;
  return { home, project, env: { PATH: path, HOME: home, PATINA_DISCOVERY: 'off' } };
}

/** The newest session, which stands for the word SESSION on a page. */
async function newestSession(place: Place): Promise<string> {
  const { said } = await runIn(place, 'patina session list --json');
  return (JSON.parse(said) as { id: string }[])[0]?.id ?? 'ses_none';
}

async function runStep(place: Place, step: Step, code: number): Promise<void> {
  const session = step.command.includes('SESSION') ? await newestSession(place) : '';
  const command = step.command.replace('SESSION', session);
  const ran = await runIn(place, command);
  expect(ran.code, `${command}\n${ran.said}`).toBe(code);
  for (const line of step.shown) expect(ran.said, command).toContain(line);
}

for (const { page, text } of pages) {
  test(`[DOC-user-commands] ${page}: every command does what the page shows`, async ({
    home,
    project,
    startModel,
  }) => {
    test.setTimeout(180_000);
    const place = await placeFor(home, project);
    // So that a page about sessions has one.
    await runIn(place, 'patina recipe run count_todos');
    for (const block of blocksOf(text)) {
      const file = optionOf(block, 'file');
      if (file !== undefined) {
        const target = join(project, file).replace(join(project, '~'), home);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, block.text);
      }
      if (!block.info.startsWith('console')) continue;
      const reply = optionOf(block, 'model');
      const model = reply === undefined ? null : await startModel({ replies: [{ text: reply }] });
      const env = model ? { BASE_URL: model.baseUrl, KEY: 'sk-documented', MODEL: 'scripted' } : {};
      const code = Number(optionOf(block, 'exit') ?? '0');
      for (const step of stepsOf(block)) {
        await runStep({ ...place, env: { ...place.env, ...env } }, step, code);
      }
    }
  });
}
