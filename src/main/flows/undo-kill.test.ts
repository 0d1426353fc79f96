import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { buildEntry } from '../../testing/build-entry';
import { timesOf } from '../../testing/full-counts';
import { buildSandboxWorker } from '../../testing/sandbox-worker-bundle';

const rounds = timesOf(3, 60);
const folder = mkdtempSync(join(tmpdir(), 'patina-undo-kill-'));
let child = '';
let worker = '';
beforeAll(async () => {
  child = await buildEntry('testing/undo-child.ts', ['libsql']);
  worker = await buildSandboxWorker();
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fs = (tool: string, args: object): string => `await tools.filesystem.${tool}(${JSON.stringify(args)});`;
const code = [
  ...['a', 'b', 'c', 'd'].map((name) => fs('write_file', { path: `${name}.txt`, content: `new ${name}` })),
  fs('write_file', { path: 'a.txt', content: 'newer a' }),
  fs('create_directory', { path: 'made/deep' }),
  fs('move_file', { source: 'm.txt', destination: 'made/m.txt' }),
  fs('edit_file', { path: 'made/m.txt', edits: [{ oldText: 'old', newText: 'changed' }] }),
  fs('write_file', { path: 'image', content: 'text now' }),
  'return { summary: "written" };',
];
const plan = planOf([scriptNode('work', code.join('\n'))]);

/** Every file below a folder, as bytes in hex with its permission bits. */
function filesIn(root: string, at = root): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const path = join(at, entry.name);
    if (entry.name === '.patina') continue;
    if (entry.isDirectory()) Object.assign(found, { [`${relative(root, path)}/`]: '' }, filesIn(root, path));
    else found[relative(root, path)] = `${statSync(path).mode & 0o777} ${readFileSync(path).toString('hex')}`;
  }
  return found;
}

function hop(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => hop(turns - 1, then));
}

/** The lines of a process until it ended, or was killed some event loop turns after its `after`-th event. */
async function live(
  place: { readonly home: string; readonly project: string },
  kill?: { readonly after: number; readonly hops: number },
): Promise<readonly string[]> {
  const env = { ...process.env, SANDBOX_PATH: worker, PATINA_DISCOVERY: 'off' };
  const args = [child, place.home, place.project, join(folder, 'plan.json')];
  const running = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  let aimed = false;
  await new Promise<void>((settle) => {
    running.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (!kill || aimed || said.split('\nevent ').length <= kill.after) return;
      aimed = true;
      hop(kill.hops, () => running.kill('SIGKILL'));
    });
    running.on('close', () => settle());
  });
  return said
    .slice(0, said.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
}

it(
  `[UNDO-kill] ${rounds} undos killed anywhere go on, lose no byte and end with the files as they were`,
  async () => {
    writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
    const project = join(folder, 'project');
    mkdirSync(join(project, '.patina'), { recursive: true });
    writeFileSync(
      join(project, '.patina/capabilities.json'),
      JSON.stringify({ allow: ['mcp://filesystem.*'] }),
    );
    for (const name of ['a', 'b', 'c', 'm'])
      writeFileSync(join(project, `${name}.txt`), `old ${name}`, { mode: 0o640 });
    writeFileSync(join(project, 'image'), Buffer.from([0xff, 0, 0xfe]), { mode: 0o755 });
    const original = filesIn(project);
    let seed = 4_711;
    const next = (below: number): number =>
      Math.floor(((seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32) * below);
    let interrupted = 0;
    for (let round = 0; round < rounds; round += 1) {
      // Each round has the same folder, because the events name it; its state is put back afterwards.
      const home = join(folder, `home-${round}`);
      const told = `round ${round}`;
      expect((await live({ home, project })).at(-1), told).toBe('over done');
      const written = filesIn(project);
      const known = new Set([...Object.values(original), ...Object.values(written)]);
      const bodies = new Set([...known].map((one) => one.split(' ')[1]));
      for (const more of [true, round % 2 === 0, false]) {
        const lines = await live({ home, project }, more ? { after: next(12), hops: next(400) } : undefined);
        expect(lines[0], told).toBe('found true');
        if (lines.at(-1)?.startsWith('over ') !== true) interrupted += 1;
        for (const [path, content] of Object.entries(filesIn(project))) {
          if (path.endsWith('/')) continue;
          // One intermediate content: a.txt was written twice.
          const body = content.split(' ')[1] ?? '';
          const known =
            bodies.has(body) || body === Buffer.from('new a').toString('hex') || path.endsWith('m.txt');
          expect(known, `${told}: ${path} ${content}`).toBe(true);
        }
      }
      expect(filesIn(project), told).toEqual(original);
      const again = await live({ home, project });
      expect(again.at(-1), told).toContain('"undone":[],"refused":[]');
    }
    expect(interrupted).toBeGreaterThan(0);
    // Each round starts five processes.
  },
  rounds * 40_000,
);
