import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';

const checkout = resolve('.');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `patina` as the README calls it: an npm script of the checkout, called from another folder. */
function npmPatina(cwd: string, args: readonly string[]): Promise<Ended> {
  const env = {
    ...process.env,
    INIT_CWD: undefined,
    PATINA_DISCOVERY: 'off',
    OPENAI_BASE_URL: '',
    PATINA_HOME: '',
  };
  return new Promise((done) => {
    execFile(
      'npm',
      ['--prefix', checkout, 'run', '-s', 'patina', '--', ...args],
      { cwd, env },
      (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

test('[CLI-caller-paths] started by npm from another folder, every command resolves paths relative to that folder', async () => {
  const caller = realpathSync(mkdtempSync(join(tmpdir(), 'patina-caller-')));
  const before = readdirSync(checkout);
  mkdirSync(join(caller, 'project'));
  writeFileSync(join(caller, 'project', 'a.txt'), 'one');
  writeFileSync(join(caller, 'unit.json'), '{"engine": 1}');
  const plan = {
    goal: 'say',
    constraints: [],
    nodes: [{ id: 'a', title: 'A', kind: 'script', code: "return {summary: 'ok', state: {}}" }],
    answer: 'ok',
  };
  writeFileSync(join(caller, 'plan.json'), JSON.stringify(plan));
  const patina = (...args: readonly string[]) =>
    npmPatina(caller, ['--home', './home', '--project', 'project', '--json', ...args]);
  const read = (ran: Ended) => JSON.parse(ran.stdout) as Record<string, unknown>;

  const created = await patina('workspace', 'create', 'mine', './agent');
  expect([created.code, read(created)['folder']]).toEqual([0, join(caller, 'agent')]);
  expect(existsSync(join(caller, 'agent', 'agent.workspace.json'))).toBe(true);
  const bound = await patina('workspace', 'bind', 'again', 'agent');
  expect(read(bound)['folder']).toBe(join(caller, 'agent'));
  expect(existsSync(join(caller, 'home', 'workspaces.json'))).toBe(true);

  const ran = await patina('agent', 'say', '--plan', 'plan.json');
  expect(ran.stderr + ran.stdout).not.toContain('cannot be read');
  expect(read(ran)).toMatchObject({ outcome: 'done' });
  const unit = await patina('exec', '--unit', 'unit.json');
  expect(unit.stdout + unit.stderr).not.toContain('cannot be read');
  const missing = await patina('exec', '--unit', 'no-such.json');
  expect(read(missing)['message']).toContain('no-such.json');
  expect(String(read(missing)['message'])).toContain(caller);

  const empty = await npmPatina(caller, ['--home', '', '--json', 'session', 'list']);
  expect(read(empty)).toMatchObject({ code: 'INVALID_INPUT', message: '--home is empty.' });
  expect(empty.code).toBe(2);
  expect(readdirSync(checkout)).toEqual(before);
  rmSync(caller, { recursive: true });
});
