import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { createAgentHarness } from '../../testing/agent-harness';
import { createInProcessSandbox } from '../../testing/in-process-sandbox';
import { createProjectTools } from '../../testing/project-tools';
import { createArtifactFolder } from '../../main/adapters/artifacts/artifact-folder';
import { readSeeds } from '../../main/adapters/seeds/read-seeds';
import { loadTokenCount } from '../session/token-count';

const seeds = readSeeds(path.resolve(import.meta.dirname, '../../../seeds'));
if (!seeds.base) throw new Error(JSON.stringify(seeds.problems));
const { budgets, capabilities } = seeds.base;
const recipes = seeds.layer.recipes.map(({ row }) => row);

const folderCount = 40;
const filesInFolder = 50;
const words = ['// TODO: one', 'plain', '# FIXME and TODO', 'TODOS and METHODTODO', '/* FIXME */'];
let project = '';

/** Text, binaries and copies, determined by position without randomness; some names are awkward. */
function contentOf(folder: number, file: number): Buffer {
  if (file % 10 === 0) return Buffer.alloc(300, (folder * file) % 7);
  if (file % 7 === 0) return Buffer.from(`copied text ${file % 3}\n`);
  if (file % 13 === 0) return Buffer.alloc(0);
  return Buffer.from(`${words[(folder + file) % words.length]} ${folder}-${file}\n`);
}

function buildProject(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'patina-recipes-'));
  for (let folder = 0; folder < folderCount; folder++) {
    const place = path.join(root, 'tree', `dir_${folder % 5}`, `sub | ${folder}`);
    mkdirSync(place, { recursive: true });
    for (let file = 0; file < filesInFolder; file++) {
      const name = file % 10 === 0 ? `blob ${file}.BIN` : file % 3 === 0 ? `read_me${file}` : `a*${file}.txt`;
      writeFileSync(path.join(place, name), contentOf(folder, file));
    }
  }
  mkdirSync(path.join(root, 'empty'));
  return root;
}

/** The expected result, computed independently: reads every file with plain file system calls. */
function readTree(root: string) {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return entries.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    return {
      file: path.relative(project, file),
      bytes,
      hash: createHash('sha256').update(bytes).digest('hex'),
      size: statSync(file).size,
    };
  });
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

async function runGoal(goal: string) {
  const artifacts = createArtifactFolder(path.join(project, '.patina', 'artifacts'));
  const sandbox = createInProcessSandbox({ artifacts, loadTokenCount });
  const tools = createProjectTools(project);
  const { run, facts } = createAgentHarness({ tools, recipes, budgets, capabilities, sandbox });
  const report = await run({ goal, project, model: { providerId: 'offline', model: 'offline' } });
  await sandbox.close();
  const end = facts.find((fact) => fact.type === 'node-ended');
  const state: JsonObject = end?.type === 'node-ended' ? (end.state ?? {}) : {};
  const listed = report.artifacts
    .map(({ handle }) => artifacts.get(handle))
    .flatMap((got) => (got.ok ? [JSON.parse(got.value) as unknown] : []));
  return { report, state, lists: listed, listed: listed[0], usedModel: report.usage.modelTurns };
}

beforeAll(() => {
  project = buildProject();
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the seed recipes on a real folder, with no model', () => {
  it('find exactly the duplicate files, including binary and empty files', async () => {
    const { report, state, listed, usedModel } = await runGoal('find duplicate files in ./tree');
    const byHash = groupBy(readTree(path.join(project, 'tree')), ({ hash }) => hash);
    const groups = [...byHash.values()].filter((files) => files.length > 1);
    const wasted = groups.reduce((sum, files) => sum + (files.length - 1) * (files[0]?.size ?? 0), 0);
    expect(report).toMatchObject({ outcome: 'done' });
    expect(state).toMatchObject({
      files: folderCount * filesInFolder,
      groups: groups.length,
      wastedBytes: wasted,
    });
    const truth = groups.map((files) => files.map(({ file }) => file).sort()).sort();
    expect((listed as { paths: string[] }[]).map(({ paths }) => [...paths].sort()).sort()).toEqual(truth);
    expect(report.answer).toContain(`(${wasted} bytes)`);
    expect(report.answer).toContain('| Files | Copies | Size | Wasted |');
    expect(usedModel).toBe(0);
  });

  it('list the duplicates of a large folder page by page, so that no script holds all of them', async () => {
    const place = path.join(project, 'many', ...Array.from({ length: 3 }, () => 'a'.repeat(200)));
    mkdirSync(place, { recursive: true });
    for (let pair = 0; pair < 3_000; pair++) {
      for (const side of ['left', 'right']) writeFileSync(path.join(place, `${pair}${side}`), `pair ${pair}`);
    }
    const { report, state, lists } = await runGoal('find duplicate files in ./many');
    expect(state).toMatchObject({ files: 6_000, groups: 3_000, copies: 3_000 });
    const sizes = lists.map((list) => (list as unknown[]).length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(3_000);
    expect(report.answer).toContain('all 3000 are in the attached lists.');
  });

  it('say so when there are none', async () => {
    const { report } = await runGoal('find duplicate files in ./empty');
    expect(report.answer).toBe('**No duplicate files** among 0 files in `empty`.');
  });

  it('count exactly the TODOs and FIXMEs by folder', async () => {
    const { report, state, listed } = await runGoal('count TODO and FIXME in ./tree by folder');
    const truth = new Map<string, { folder: string; TODO: number; FIXME: number; total: number }>();
    for (const { file, bytes } of readTree(path.join(project, 'tree'))) {
      if (bytes.includes(0)) continue;
      const folder = path.dirname(file);
      const row = truth.get(folder) ?? { folder, TODO: 0, FIXME: 0, total: 0 };
      const found = bytes.toString('utf8').match(/\b(TODO|FIXME)\b/g) ?? [];
      for (const word of found) row[word as 'TODO' | 'FIXME'] += 1;
      row.total += found.length;
      if (row.total > 0) truth.set(folder, row);
    }
    const byName = (a: { folder: string }, b: { folder: string }) => (a.folder < b.folder ? -1 : 1);
    expect((listed as { folder: string }[]).toSorted(byName)).toEqual([...truth.values()].sort(byName));
    expect(state['total']).toBe([...truth.values()].reduce((sum, row) => sum + row.total, 0));
    expect(report.answer).toContain('| Folder | TODO | FIXME | Total |');
  });

  it('add up exactly the types and sizes', async () => {
    const { report, state, listed } = await runGoal('summarise ./tree');
    const tree = readTree(path.join(project, 'tree'));
    const bytes = tree.reduce((sum, { size }) => sum + size, 0);
    expect(state).toMatchObject({ files: tree.length, bytes, types: 3 });
    const byType = groupBy(tree, ({ file }) => path.extname(file).toLowerCase() || '(none)');
    const truth = [...byType].map(([type, files]) => ({
      type,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
    }));
    const byName = (a: { type: string }, b: { type: string }) => (a.type < b.type ? -1 : 1);
    expect((listed as { type: string }[]).toSorted(byName)).toEqual(truth.sort(byName));
    expect(report.answer).toContain(`(${bytes} bytes)`);
  });

  it.each([
    ['hashes', (at: number) => createHash('sha256').update(String(at)).digest('hex')],
    ['another script', (at: number) => `${'文書資料'.repeat(12)}${at}`],
    ['emoji and marks', (at: number) => `${'🧪{}[]'.repeat(8)}${at}`],
    ['long words', (at: number) => `${'Antidisestablishment'.repeat(8)}${at}`],
  ])('keep a node’s result within its limit, with names of %s', async (_kind, nameOf) => {
    const place = path.join(project, 'names', 'deeper'.repeat(10), nameOf(-1));
    for (let at = 0; at < 60; at++) {
      const folder = path.join(place, nameOf(at));
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, `${nameOf(at)}.${nameOf(at).slice(0, 12)}`), `TODO FIXME ${at % 20}`);
    }
    for (const goal of ['find duplicate files in ./names', 'count todos in ./names', 'summarise ./names']) {
      const { report } = await runGoal(goal);
      expect(report.error).toBeUndefined();
      expect(report.answer).toContain('| ---');
    }
    rmSync(path.join(project, 'names'), { recursive: true });
  });

  it('fail and name the folder when it does not exist', async () => {
    const { report } = await runGoal('find duplicate files in ./nowhere');
    expect(report).toMatchObject({ outcome: 'failed', error: { kind: 'TOOL', code: 'NOT_FOUND' } });
    expect(report.answer).toContain('nowhere');
  });
});
