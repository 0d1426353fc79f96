import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { commandFile, onModel, test, type Ran } from '../fixtures/command-line';

const generalId = '3F8E4F377F7A4C189C7F6A8B9F945C11';

/** A pack's valid mode. */
const mode = {
  id: 'C0FFEE00C0FFEE00C0FFEE00C0FFEE00',
  key: 'tickets',
  displayName: 'Tickets',
  whenToUse: 'Use this mode for tickets.',
  isDefault: false,
  status: 'active',
  version: 'v1',
  ddr: 'AGN-100',
};

function dropMode(home: string, change: object): void {
  const folder = join(home, 'packs', 'bad', 'modes');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, 'packs', 'bad', 'pack.json'), JSON.stringify({ id: 'bad', version: '1' }));
  writeFileSync(join(folder, 'tickets.json'), JSON.stringify({ ...mode, ...change }));
}

interface Problem {
  readonly file: string;
  readonly field: string;
  readonly rule: string;
  readonly reason: string;
}

const problemsIn = (ran: Ran) =>
  (ran.json() as unknown as { readonly problems: readonly Problem[] }).problems;

/** Each rule of the mode catalog, broken by one field of one row. */
const violations: readonly [field: string, rule: string, change: object][] = [
  ['id', 'mode-id-format', { id: 'c0ffee00-c0ff-ee00-c0ff-ee00c0ffee00' }],
  ['id', 'mode-id-unique', { id: generalId }],
  ['key', 'mode-key-format', { key: 'Ticket Mode' }],
  ['key', 'mode-key-unique', { key: 'general' }],
  ['isDefault', 'one-default', { isDefault: true }],
  ['whenToUse', 'when-to-use', { whenToUse: '' }],
  ['whenToUse', 'when-to-use', { whenToUse: 'x'.repeat(241) }],
  ['status', 'status', { status: 'retired' }],
  ['toolboxIds.0', 'toolbox-known', { toolboxIds: ['lost'] }],
  ['associatedToolIds', 'mode-shape', { associatedToolIds: 'all' }],
  ['ddr', 'mode-ddr', { ddr: '' }],
];

for (const [field, rule, change] of violations) {
  test(`[START-every-problem] [AGN14-7-6-nothing-runs] the rule ${rule} stops the start: ${JSON.stringify(change).slice(0, 60)}`, async ({
    home,
    patina,
  }) => {
    dropMode(home, change);
    const ran = await patina(['modes', '--json']);
    expect(ran.code).toBe(3);
    expect(ran.json()).toMatchObject({ kind: 'CONFIG', code: 'INVALID' });
    const file = join(home, 'packs', 'bad', 'modes', 'tickets.json');
    expect(problemsIn(ran)).toMatchObject([{ file, field, rule }]);
    expect(String(ran.json()['hint'])).toContain('PATINA_WITHOUT_PACKS=bad ');
  });
}

test('[START-every-problem] all violations are reported at once, and as text without --json', async ({
  home,
  patina,
}) => {
  dropMode(home, { id: 'x', key: 'X', whenToUse: '', isDefault: true, status: 'gone', ddr: undefined });
  const ran = await patina(['modes', '--json']);
  expect(problemsIn(ran).map(({ rule }) => rule)).toEqual([
    'mode-id-format',
    'mode-key-format',
    'when-to-use',
    'status',
    'one-default',
    'mode-ddr',
  ]);
  const words = await patina(['modes']);
  expect([words.code, words.stdout]).toEqual([3, '']);
  expect(words.stderr).toContain('Patina cannot start: its configuration breaks 6 rules');
  expect(words.stderr).toContain('Start without this pack');
});

test('[AGN14-7-6-nothing-runs] no session is created and no model is called', async ({
  home,
  patina,
  startModel,
}) => {
  dropMode(home, { status: 'gone' });
  const model = await startModel({ replies: [{ text: 'I should not have been asked.' }] });
  for (const args of [
    ['ask', 'Hello'],
    ['agent', 'Count the files'],
    ['route', 'switch to DDR mode'],
    ['session', 'list'],
    ['tool', 'agent_list_modes', '{}'],
  ]) {
    const ran = await patina([...args, '--json'], { env: onModel(model) });
    expect([args[0], ran.code]).toEqual([args[0], 3]);
  }
  expect(model.chats()).toEqual([]);
  expect(existsSync(join(home, 'sessions.db'))).toBe(false);
});

test('[PACK-without] the same start succeeds without the pack', async ({ home, patina }) => {
  dropMode(home, { status: 'gone' });
  const ran = await patina(['modes', '--json'], { env: { PATINA_WITHOUT_PACKS: 'bad' } });
  expect(ran.code).toBe(0);
  expect(ran.json()).toMatchObject([
    { key: 'general' },
    { key: 'ddr_authoring' },
    { key: 'workflow_authoring' },
  ]);
});

test('[AGN14-7-3-default] seeds without a default mode stop the start', ({ home }) => {
  const root = join(home, 'copy');
  const built = resolve(commandFile, '../../..');
  mkdirSync(root);
  for (const name of ['out', 'seeds', 'package.json']) {
    cpSync(join(built, name), join(root, name), { recursive: true });
  }
  symlinkSync(join(built, 'node_modules'), join(root, 'node_modules'));
  const modes = join(root, 'seeds', 'modes');
  expect(readdirSync(modes)).toContain('general.json');
  writeFileSync(join(modes, 'general.json'), JSON.stringify({ ...mode, ddr: undefined }));
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'out/main/cli.js'), 'modes', '--json'], {
    encoding: 'utf8',
    env: { ...process.env, PATINA_HOME: home },
  });
  expect(status).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'CONFIG',
    hint: 'Fix these files, or reinstall Patina.',
    problems: [{ file: modes, field: 'isDefault', rule: 'one-default' }],
  });
});
