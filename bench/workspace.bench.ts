import { hash as digest } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { emptySession } from '#shared/session-state';
import { composeStoredWorkspace } from '../src/main/compose/workspace';
import { materialize } from '../src/core/workspace/step-content';
import { createWorkspaceReader } from '../src/core/workspace/sync-workspace';
import { must } from '../src/testing/stored-session';
import { median, report } from './lib/report';

const rounds = 25;
const packs = 40;
const templatesOfPack = 24;
const catalogs = 10;
const descriptorsOfCatalog = 99;

const home = mkdtempSync(join(tmpdir(), 'patina-bench-'));
const project = join(home, 'project');
const root = join(project, '.patina', 'workspace');
const files: string[] = [];

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
  files.push(join(root, path));
}

const range = (length: number): readonly number[] => Array.from({ length }, (_, n) => n);

/** 40 packs of 24 templates and 10 catalogs of 99 descriptors, with their index: 2,001 files of ordinary size. */
function writeWorkspace(): void {
  for (const pack of range(packs)) {
    const templates = range(templatesOfPack).map((n) => `prompts/templates/p${pack}-${n}.md`);
    for (const path of templates) write(path, `# ${path}\n\n${'Say it in plain words. '.repeat(60)}\n`);
    write(`prompts/packs/p${pack}.json`, JSON.stringify({ id: `p${pack}`, templates }));
  }
  for (const catalog of range(catalogs)) {
    const tools = range(descriptorsOfCatalog).map((n) => `tools/descriptors/c${catalog}-${n}.json`);
    for (const [n, path] of tools.entries()) {
      const properties = Object.fromEntries(range(6).map((at) => [`field${at}`, { type: 'string' }]));
      const parameters = { type: 'object', properties, required: ['field0'] };
      const description = 'Does one thing, and says what it did. '.repeat(6);
      write(path, JSON.stringify({ name: `agent_c${catalog}_${n}`, description, parameters }));
    }
    write(`tools/catalogs/c${catalog}.json`, JSON.stringify({ id: `c${catalog}`, tools }));
  }
  const ids = (letter: string, folder: string, count: number) =>
    Object.fromEntries(range(count).map((n) => [`${letter}${n}`, `${folder}/${letter}${n}.json`]));
  const index = {
    schema: 'agent.workspace',
    version: 1,
    promptPacks: ids('p', 'prompts/packs', packs),
    toolCatalogs: ids('c', 'tools/catalogs', catalogs),
    defaults: { promptPack: 'p0', toolCatalog: 'c0' },
  };
  write('agent.workspace.json', JSON.stringify(index));
  // Files that changed a moment ago are read again, because a second change could have the same time: these are old.
  for (const file of files) utimesSync(file, 1_000, 1_000);
}

/** The minimum for reading an untrusted file: no link followed, no wait, a regular file. */
function hashOne(file: string): string {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw new Error(`${file} is not a regular file.`);
    const bytes = Buffer.allocUnsafe(stat.size);
    readSync(handle, bytes);
    return digest('sha256', bytes);
  } finally {
    closeSync(handle);
  }
}

/** The floor: reading and hashing every file this way, and nothing else. */
function hashAll(): void {
  for (const file of files) hashOne(file);
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

writeWorkspace();
// The change time of a file cannot be set; it has to be older than what could hide a second change.
await new Promise((settle) => setTimeout(settle, 100));
const first = must(composeStoredWorkspace({ home, seeds: resolve('seeds') }));
const target = { workspace: 'default', version: 'latest', project } as const;
const hash = must(await first.reader.find({ ...target, known: null }));

const hashText = (text: string): string => digest('sha256', text);

/** A reader that has not looked at the folder before, and knows the snapshot: everything is read and hashed. */
function syncAnew(): Promise<number> {
  const reader = createWorkspaceReader({ ...first, hashText });
  return timed(async () => must(await reader.find({ ...target, known: hash })));
}

await timed(hashAll);
const pairs: (readonly [floor: number, ours: number])[] = [];
for (let round = 0; round < rounds; round += 1) pairs.push([await timed(hashAll), await syncAnew()]);
report({
  name: `sync of ${files.length} files, nothing changed`,
  value: median(pairs.map(([, ours]) => ours)),
  floor: median(pairs.map(([floor]) => floor)),
  goal: 1.2,
  unit: 'ms',
});

const again: number[] = [];
for (let round = 0; round < rounds; round += 1)
  again.push(await timed(() => first.reader.find({ ...target, known: hash })));
report({ name: 'the same again in the same process', value: median(again), goal: 20, unit: 'ms' });

const empty = emptySession('s');
const state = { ...empty, project, workspace: { ...empty.workspace, active: hash } };
const steps: number[] = [];
for (let round = 0; round < 200; round += 1)
  steps.push(await timed(() => must(materialize(first.snapshots, state))));
report({ name: 'materialisation of a step', value: median(steps), goal: 2, unit: 'ms' });
rmSync(home, { recursive: true, force: true });
