import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAgentHarness } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createMemoryTexts } from '../../testing/memory-texts';
import { createProjectTools } from '../../testing/project-tools';
import { createProjectStamp } from '../../main/adapters/system/project-stamp';
import { createReadCache } from '../tools/read-cache';

const code = `const { files } = await tools.project.list_files({ path: '.' });
const texts = await Promise.all(files.map(({ path }) => tools.project.read_text({ path })));
return { summary: files.length + ' files', state: { all: texts.map(({ text }) => text).join('') } };`;
const provided = { plan: planOf([scriptNode('look', code)]) };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patina-cache-'));
  mkdirSync(join(folder, 'docs'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'docs', `${name}.txt`), name);
});

/** The project server's tools on a real folder, and a cache that persists between runs. */
function setUp() {
  const tools = createProjectTools(folder);
  const stamp = createProjectStamp(folder);
  const cache = createReadCache({
    project: folder,
    texts: createMemoryTexts(),
    now: () => 0,
    stamp: ({ tool }, args) => stamp('project', tool, args),
  });
  const run = async (more: { readonly fresh?: boolean } = {}) => {
    const before = tools.calls.length;
    const harness = createAgentHarness({ tools, cache });
    const report = await harness.run({ provided, ...more });
    const made = tools.calls
      .slice(before)
      .map(({ uri, args }) => `${uri.slice(14)} ${args['path'] as string}`);
    const records = harness.facts.flatMap((fact) => (fact.type === 'tool-called' ? [fact.call] : []));
    return { report, made: made.sort(), records };
  };
  return { run };
}
const all = ['list_files .', 'read_text docs/a.txt', 'read_text docs/b.txt', 'read_text docs/c.txt'];

describe('results of reads', () => {
  it('[AGC-unchanged] let the same plan over unchanged files make no call, end with the same hash, and say so', async () => {
    const { run } = setUp();
    const first = await run();
    const second = await run();
    expect([first.made, second.made]).toEqual([all, []]);
    expect(second.report.summaryHash).toBe(first.report.summaryHash);
    expect([first, second].map(({ report }) => report.nodes[0]?.cached)).toEqual([false, true]);
    expect(second.records.map(({ cached }) => cached)).toEqual([true, true, true, true]);
  });

  it('[AGC-changed] let a plan over one changed file make exactly the calls that the change affects', async () => {
    const { run } = setUp();
    await run();
    writeFileSync(join(folder, 'docs/b.txt'), 'changed');
    const { made, report } = await run();
    expect(made).toEqual(['list_files .', 'read_text docs/b.txt']);
    expect(report.nodes[0]).toMatchObject({ status: 'done', cached: false });
    expect((await run()).made).toEqual([]);
    // Same size, different modification time.
    writeFileSync(join(folder, 'docs/b.txt'), 'CHANGED');
    utimesSync(join(folder, 'docs/b.txt'), 1, 1);
    expect((await run()).made).toEqual(['list_files .', 'read_text docs/b.txt']);
    writeFileSync(join(folder, 'docs/d.txt'), 'd');
    expect((await run()).made).toEqual(['list_files .', 'read_text docs/d.txt']);
  });

  it('[AGC-fresh] are bypassed by a fresh run, which makes every call and caches the new results', async () => {
    const { run } = setUp();
    await run();
    expect((await run({ fresh: true })).made).toEqual(all);
    expect((await run()).made).toEqual([]);
  });
});
