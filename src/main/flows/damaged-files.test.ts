import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededSample, timesOf } from '../../testing/full-counts';
import { must, openStore, turnFacts } from '../../testing/stored-session';
import { createNodeHost } from '../adapters/cli/node-host';
import { makeCopy } from '../adapters/storage/session-copies';
import { openSqlite } from '../adapters/storage/sqlite';
import { checkPacks } from '../diagnostics/doctor';
import { checkWorkflows } from '../../core/workflows/doctor-checks';
import { compose } from '../compose/compose';

let home: string;
let project: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'patina-damaged-'));
  project = mkdtempSync(join(tmpdir(), 'patina-damaged-project-'));
});
afterEach(() => [home, project].forEach((folder) => rmSync(folder, { recursive: true, force: true })));

type Root = 'home' | 'project';

/** Every kind of file that a user, a sync or an editor may damage, and the notice that reports it. */
const kinds: readonly (readonly [root: Root, file: string, notice: string])[] = [
  ['home', 'workflows/published/my_flow.json', 'workflow-files'],
  ['home', 'workflows/published/create_ddr.json', 'workflow-files'],
  ['home', 'workflows/drafts/my_flow.json', 'draft-files'],
  ['home', 'packs/samples/pack.json', 'pack-samples'],
  ['home', 'packs/samples/modes/one.json', 'pack-samples'],
  ['home', 'packs/samples/workflows/one_flow.json', 'pack-samples'],
  ['home', 'packs/samples/toolboxes/one.json', 'pack-samples'],
  ['home', 'packs/samples/commands/one.json', 'pack-samples'],
  ['home', 'packs/samples/catalogs/one.json', 'pack-samples'],
  ['home', 'packs/samples/actions/one.json', 'pack-samples'],
  ['home', 'packs/samples/recipes/one.json', 'pack-samples'],
  ['home', 'packs/my_recipes/recipes/one.json', 'own-recipes'],
  ['home', 'ddrs/MYD-001.md', 'ddr-files'],
  ['home', 'ddrs/tla-catalog.json', 'ddr-files'],
  ['home', `workspace-snapshots/${'ab'.repeat(32)}.json`, 'snapshot-files'],
  ['home', 'workspaces.json', 'workspaces-file'],
  ['home', 'mcp/registry.json', 'registry-file'],
  ['project', '.patina/capabilities.json', 'capabilities-file'],
  ['project', '.patina/budgets.json', 'budgets-file'],
];

const damages: Readonly<Record<string, (file: string) => void>> = {
  'half an object': (file) => writeFileSync(file, '{"half":'),
  'the marks of a merge': (file) =>
    writeFileSync(file, '<<<<<<< HEAD\n{"a": 1}\n=======\n{"a": 2}\n>>>>>>> other\n'),
  nothing: (file) => writeFileSync(file, ''),
  'bytes that are no text': (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0, 1, 0x80])),
  'another thing than it should': (file) => writeFileSync(file, '[[1, 2]]'),
  'more than it may': (file) => writeFileSync(file, `["${'x'.repeat(65 * 1024 * 1024)}"]`),
  'a folder in its place': (file) => mkdirSync(file),
  'a link in a circle in its place': (file) => symlinkSync(file, file),
  'no permission to read it': (file) => {
    writeFileSync(file, '{"half":');
    chmodSync(file, 0);
  },
};

const cases = kinds.flatMap(([root, file, notice]) =>
  Object.entries(damages).map(([what, make]) => ({ root, file, notice, what, make })),
);
/**
 * A readable but invalid mode stops the start (AGN-014 §7), and so does a pack's invalid workflow (TUL-006
 * §8.1).
 */
const refuses = ({ file, what }: (typeof cases)[number]): boolean =>
  what === 'another thing than it should' && /samples\/(modes|workflows)/.test(file);

function start(env: Readonly<Record<string, string>> = {}) {
  const host = must(createNodeHost(resolve('out/main'), { home, project }));
  return must(compose({ ...host, env: { PATINA_DISCOVERY: 'off', ...env } }));
}

function damage({ root, file, make }: (typeof cases)[number]): string {
  const target = join(root === 'home' ? home : project, file);
  mkdirSync(dirname(target), { recursive: true });
  const header = join(home, 'packs/samples/pack.json');
  if (file.startsWith('packs/samples') && target !== header) {
    writeFileSync(header, '{"id":"samples","version":"1"}');
  }
  make(target);
  return target;
}

it('[ERR-each-once] the notice of a file has each problem as a sentence, also when two have the same reason', async () => {
  const file = join(project, '.patina/capabilities.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{"allow":5,"deny":5}');
  const app = start();
  expect(app.notices.all().find(({ id }) => id === 'capabilities-file')?.detail).toBe(
    `${file} is not valid: allow: must be a list, not a number. ${file}: deny: must be a list, not a number.`,
  );
  await app.close();
});

describe('a damaged file', () => {
  it.each(
    seededSample(
      cases.filter((one) => !refuses(one)),
      timesOf(48, cases.length),
    ),
  )(
    '[DAMAGE-one-item] [DAMAGE-reported] $file with $what disables only that item, and a notice names it',
    async (damaged) => {
      const target = damage(damaged);
      const app = start();
      const told = app.notices.all();
      const others = app.workflows.view(null).all.map(({ definition }) => definition.WorkflowId);
      const sessions = app.log.summaries({ archived: false });
      await app.close();
      expect(told.map(({ id }) => id)).toEqual([damaged.notice]);
      const [notice] = told;
      const named = `${notice?.detail ?? ''} ${notice?.hint ?? ''}`;
      expect(named).toContain(basename(target));
      expect(notice?.hint).toMatch(/Fix|remove|delete/i);
      expect(sessions).toMatchObject({ ok: true });
      expect(others.length).toBeGreaterThanOrEqual(6);
    },
  );

  it('[DAMAGE-halted] of a published workflow halts it: no earlier or bundled definition replaces it, and none starts by itself', async () => {
    mkdirSync(join(home, 'workflows/published'), { recursive: true });
    writeFileSync(join(home, 'workflows/published/create_ddr.json'), '<<<<<<< HEAD');
    const app = start();
    const view = app.workflows.view(null);
    expect(view.find('create_ddr')).toBeUndefined();
    expect(view.list().map(({ WorkflowId }) => WorkflowId)).not.toContain('create_ddr');
    expect(view.match('use workflow: create_ddr', () => true)[0]).toMatchObject({
      workflowId: 'create_ddr',
      runnable: false,
      note: 'Workflow ‘create_ddr’ is halted: its published definition cannot be read.',
    });
    expect(view.manifest('create_ddr', () => true)).toMatchObject({
      ok: false,
      error: {
        message: 'Workflow ‘create_ddr’ is halted: its published definition cannot be read.',
        hint: expect.stringContaining('create_ddr.json: It is not JSON') as string,
      },
    });
    expect(view.unreadable.size).toBe(1);
    expect(checkWorkflows(app.workflows)[0]).toMatchObject({ name: 'workflows', ok: false });
    await app.close();
  });

  it('[DAMAGE-reported] that is a DDR or a snapshot with another hash than its name is reported by the doctor', async () => {
    const snapshot = `${'cd'.repeat(32)}.json`;
    for (const folder of ['ddrs', 'workspace-snapshots']) mkdirSync(join(home, folder));
    writeFileSync(join(home, 'ddrs/MYD-001.md'), '---\nid: [');
    // Complete and well-formed, but the content does not match its hash.
    const other = { schema: 'agent.workspace.snapshot/1', files: { 'a.md': { text: 'changed' } } };
    writeFileSync(join(home, 'workspace-snapshots', snapshot), JSON.stringify(other));
    const app = start();
    const checks = await app.doctor();
    const view = app.workflows.view(null);
    await app.close();
    const failing = checks.filter(({ error }) => error !== undefined);
    expect(failing).toMatchObject([
      { name: 'DDRs', ok: false, detail: expect.stringContaining('MYD-001.md') as string },
      { name: 'workspace versions', ok: false, detail: expect.stringContaining(snapshot) as string },
    ]);
    expect(view.find('create_ddr')?.approval.kind).toBe('approved');
  });

  it.each([
    { copied: false, says: 'No daily copy contains these events, so they cannot be repaired.' },
    { copied: true, says: 'Repair them with: patina session repair' },
  ])('[STO-no-repair] leads to a suggested repair only if a copy helps: $copied', async (row) => {
    const file = join(home, 'sessions.db');
    const store = openStore(file);
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(3)));
    store.close();
    if (row.copied) expect(makeCopy(file, Date.now())).toBeNull();
    const db = openSqlite(file);
    db.exec(`UPDATE events SET sum = sum + 1 WHERE id % ${2 ** 32} = 4`);
    db.close();
    const app = start();
    const checks = await app.doctor();
    await app.close();
    const detail = expect.stringContaining(row.says) as string;
    expect(checks.find(({ name }) => name === 'sessions')).toMatchObject({ ok: false, detail });
  });

  it('[CFG-variables] that a variable names below ~ is found, and none is reported as missing', async () => {
    vi.stubEnv('HOME', home);
    vi.stubEnv('USERPROFILE', home);
    writeFileSync(join(home, 'servers.json'), '{"mcpServers":{}}');
    writeFileSync(join(home, 'rules.json'), '{"allow":[]}');
    writeFileSync(join(home, 'budgets.json'), '{}');
    const names = {
      MCP_REGISTRY: '~/servers.json',
      CAPABILITIES: '~/rules.json',
      BUDGETS: '~/budgets.json',
    };
    const app = start(names);
    const told = app.notices.all();
    await app.close();
    vi.unstubAllEnvs();
    expect(told).toEqual([]);
  });

  it('[DAMAGE-reported] of a pack that is switched off or a draft is reported by the doctor', async () => {
    mkdirSync(join(home, 'workflows/drafts'), { recursive: true });
    writeFileSync(join(home, 'workflows/drafts/my_flow.json'), '');
    const app = start();
    const drafts = checkWorkflows(app.workflows).find(({ name }) => name === 'workflow drafts');
    expect(drafts?.detail).toMatch(/my_flow\.json: It is not JSON/);
    await app.close();
    const disabled = [{ file: '/p/a/modes/m.json', field: '', rule: 'json', reason: 'It is not JSON.' }];
    expect(checkPacks([{ name: 'a', folder: '/p/a', id: 'a', version: '1', disabled }])).toMatchObject([
      { name: 'pack a', ok: false, error: { kind: 'CONFIG', problems: disabled } },
    ]);
  });
});
