import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { buildEntry } from '../../testing/build-entry';
import { timesOf } from '../../testing/full-counts';
import { startScriptedModel } from '../../testing/scripted-model';
import type { ScriptedRequest } from '../../testing/scripted-reply';
import { buildSandboxWorker } from '../../testing/sandbox-worker-bundle';

const kills = timesOf(4, 50);
const folder = mkdtempSync(join(tmpdir(), 'patina-run-kill-'));
let child = '';
let worker = '';

beforeAll(async () => {
  child = await buildEntry('testing/run-child.ts', ['libsql']);
  worker = await buildSandboxWorker();
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const add = (...numbers: readonly number[]): string =>
  `for (const n of ${JSON.stringify(numbers)}) await tools.ledger.add({ n }); return { summary: 'added' };`;
const plan = planOf([
  scriptNode('look', 'return { summary: "looked", state: await tools.ledger.read({}) };'),
  scriptNode('first', add(1, 2, 3), { deps: ['look'] }),
  scriptNode(
    'pair',
    "await Promise.all([4, 5, 6].map((n) => tools.ledger.add({ n }))); return { summary: 'added' };",
    { deps: ['first'] },
  ),
  scriptNode('last', add(7), { deps: ['pair'] }),
]);

/** A seeded generator, so that a failure can be reproduced. */
function createSeededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A home, a project and an empty ledger that only the run's server writes to; a model plans without `given`. */
function newPlace(name: string, given: object | null, more: Readonly<Record<string, string>> = {}) {
  const place = join(folder, name);
  const [home, project, ledger] = [join(place, 'home'), join(place, 'project'), join(place, 'ledger.txt')];
  mkdirSync(join(project, '.patina'), { recursive: true });
  writeFileSync(join(project, '.patina/capabilities.json'), JSON.stringify({ allow: ['mcp://ledger.*'] }));
  const server = resolve('src/testing/mcp-peers/ledger-server.mjs');
  const row = { command: process.execPath, args: [server, ledger], trusted: true };
  writeFileSync(join(place, 'registry.json'), JSON.stringify({ mcpServers: { ledger: row } }));
  if (given) writeFileSync(join(place, 'plan.json'), JSON.stringify(given));
  writeFileSync(ledger, '');
  const args = [child, home, project, ledger, ...(given ? [join(place, 'plan.json')] : [])];
  const env = { ...process.env, MCP_REGISTRY: join(place, 'registry.json'), SANDBOX_PATH: worker };
  const written = () => readFileSync(ledger, 'utf8').split('\n').slice(0, -1).map(Number);
  return { args, env: { ...env, PATINA_DISCOVERY: 'off', ...more }, written };
}

/** Waits for some event loop turns of this process, during which the other process advances. */
function hop(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => hop(turns - 1, then));
}

/** More would let a run on a fast machine end before it is killed. */
const maxHops = 400;

/**
 * The output of a process until it ended, or until it was killed a number of event loop turns after its
 * `after`-th event.
 */
async function live(
  { args, env }: ReturnType<typeof newPlace>,
  kill?: { readonly after: number; readonly hops: number },
): Promise<readonly string[]> {
  const process_ = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  let aimed = false;
  await new Promise<void>((settle) => {
    process_.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (!kill || aimed || said.split('\nevent ').length <= kill.after) return;
      aimed = true;
      hop(kill.hops, () => process_.kill('SIGKILL'));
    });
    process_.on('close', (code) => {
      if (code) said += `ended with code ${code}\n`;
      settle();
    });
  });
  // Text after the last line break was cut off by the kill.
  return said
    .slice(0, said.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
}

const numberIn = (lines: readonly string[], start: string): number | undefined => {
  const line = lines.findLast((one) => one.startsWith(start));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
};

it(`[AGX-kill] ${kills} kills in a run lose no event and repeat no write, and the run comes to its end`, async () => {
  const next = createSeededNumbers(1_858);
  const seen = { unknown: 0, killed: 0 };
  for (let round = 0; round < kills; round += 1) {
    const place = newPlace(String(round), plan);
    const told = `round ${round}`;
    let acknowledged = 0;
    let lines: readonly string[] = [];
    for (const again of [true, round % 3 === 0, false]) {
      lines = await live(place, again ? { after: 2 + next(50), hops: next(maxHops) } : undefined);
      expect(numberIn(lines, 'found '), told).toBeGreaterThanOrEqual(acknowledged);
      expect(
        lines.find((line) => line.startsWith('found ')),
        told,
      ).toMatch(/ true$/);
      acknowledged = Math.max(acknowledged, numberIn(lines, 'event ') ?? 0);
      const written = place.written();
      expect(new Set(written).size, `${told}: ${written.join(' ')}`).toBe(written.length);
      seen.unknown += lines.filter((line) => line.startsWith('unknown ')).length;
      if (lines.at(-1)?.startsWith('over ') !== true) seen.killed += 1;
    }
    expect(lines.at(-1), told).toBe('over done');
    const written = place.written();
    expect([...written.slice(0, 3), ...written.slice(3, 6).sort(), ...written.slice(6)], told).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
  }
  expect(seen.killed, JSON.stringify(seen)).toBeGreaterThan(0);
}, 3_600_000);

const submit = (id: string, value: object) => [{ id, name: 'submit_plan', arguments: value }];

/** What a model says in a run of three stages, by the number of its earlier messages. */
const moves = [
  submit('c1', {
    code: "return { summary: 'looked', state: await tools.ledger.read({}) };",
    then: 'look',
  }),
  submit('c2', { code: add(1, 2, 3), then: 'look' }),
  [{ id: 'r1', name: 'read_result', arguments: { id: 'work2' } }],
  submit('c3', {
    nodes: [
      {
        id: 'pair',
        code: "await Promise.all([4, 5, 6].map((n) => tools.ledger.add({ n }))); return { summary: 'added' };",
      },
    ],
    then: 'look',
  }),
];

const stagedPlan = {
  stages: [
    {
      goal: 'Look',
      nodes: [scriptNode('look', 'return { summary: "looked", state: await tools.ledger.read({}) };')],
    },
    { goal: 'Add one after the other', nodes: [scriptNode('first', add(1, 2, 3))] },
    {
      goal: 'Add together',
      nodes: [
        scriptNode(
          'pair',
          "await Promise.all([4, 5, 6].map((n) => tools.ledger.add({ n }))); return { summary: 'added', state: { before: inputs.look.lines } };",
        ),
      ],
    },
  ],
  answer: 'Before: {{pair.before}}.',
};
const nextPlan = planOf(
  [
    scriptNode(
      'next',
      "await tools.ledger.add({ n: 7 + inputs.previous.pair.before }); return { summary: 'added' };",
    ),
  ],
  'Added one more.',
);

it('[STF-kill] a kill after any event of a staged plan repeats no write, and the conversation continues', async () => {
  const next = createSeededNumbers(4_021);
  const whole = await live(newPlace('given-whole', stagedPlan));
  expect(whole.at(-1)).toBe('over done');
  const events = whole.filter((line) => line.startsWith('event ')).length;
  const rounds = timesOf(3, events - 1);
  let killed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const after = 1 + Math.floor((round * (events - 1)) / rounds);
    const told = `killed after event ${after}: ${whole[after] ?? ''}`;
    const place = newPlace(`given-${round}`, stagedPlan);
    const first = await live(place, { after, hops: next(200) });
    if (first.at(-1)?.startsWith('over ') !== true) killed += 1;
    expect((await live(place)).at(-1), told).toBe('over done');
    const written = place.written();
    expect([...written.slice(0, 3), ...written.slice(3).sort()], told).toEqual([1, 2, 3, 4, 5, 6]);
    const nextFile = `${place.args[4] ?? ''}.next`;
    writeFileSync(nextFile, JSON.stringify(nextPlan));
    const continued = await live({ ...place, args: [...place.args, nextFile] });
    expect(continued.at(-1), told).toBe('over done');
    expect(place.written().slice(6), told).toEqual([7]);
  }
  expect(killed).toBeGreaterThan(rounds / 2);
}, 3_600_000);

const messagesOf = ({ json }: ScriptedRequest): readonly { readonly role: string }[] =>
  (json?.['messages'] ?? []) as readonly { readonly role: string }[];
const moveOf = (request: ScriptedRequest): number =>
  messagesOf(request).filter(({ role }) => role === 'assistant').length;

it(`[STG-kill] ${kills} kills in a run of stages repeat no write, and every planning call has the same bytes`, async () => {
  const next = createSeededNumbers(77);
  const model = await startScriptedModel({
    replies: [
      ...moves.map((toolCalls, move) => ({
        match: (request: ScriptedRequest) => moveOf(request) === move,
        toolCalls,
      })),
      { match: (request) => moveOf(request) === moves.length, text: 'All six are written.' },
    ],
  });
  const bodies = new Map<number, Set<string>>();
  let killed = 0;
  for (let round = 0; round < kills; round += 1) {
    const from = model.chats().length;
    const place = newPlace(`staged-${round}`, null, {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'sk-kill',
      PATINA_MODEL: 'scripted',
    });
    const round_ = `round ${round}`;
    let lines: readonly string[] = [];
    let unknown = 0;
    for (const again of [true, round % 2 === 0, round % 3 === 0, false]) {
      lines = await live(place, again ? { after: 1 + next(60), hops: next(maxHops) } : undefined);
      const written = place.written();
      expect(new Set(written).size, `${round_}: ${written.join(' ')}`).toBe(written.length);
      if (lines.at(-1)?.startsWith('over ') !== true) killed += 1;
      unknown += lines.filter((line) => line.startsWith('unknown ')).length;
    }
    expect(lines.at(-1), round_).toBe('over done');
    const written = place.written();
    expect([...written.slice(0, 3), ...written.slice(3).sort()], round_).toEqual([1, 2, 3, 4, 5, 6]);
    // A write whose outcome the user reported is another history, and the model reads it.
    if (unknown > 0) continue;
    const project = place.args[2] ?? '';
    for (const chat of model.chats().slice(from)) {
      const seen = bodies.get(moveOf(chat)) ?? new Set();
      seen.add(chat.text.replaceAll(project, 'PROJECT'));
      bodies.set(moveOf(chat), seen);
    }
  }
  expect([...bodies].sort(([a], [b]) => a - b).map(([move, texts]) => [move, texts.size])).toEqual(
    [...moves, 'end'].map((_move, at) => [at, 1]),
  );
  expect(killed).toBeGreaterThan(0);
  await model.close();
}, 3_600_000);

it('[MAP-resume] a run killed among many items asks only about those without an answer', async () => {
  const rows = 40;
  const model = await startScriptedModel({
    replies: [{ match: /"item":/, text: 'a kind of issue', tokensPerSecond: 40 }],
  });
  const list = `return { summary: 'listed', state: { rows: Array.from({ length: ${rows} }, (_, n) => ({ n })) } };`;
  const sort = { id: 'sort', title: 'Sort', kind: 'llm', prompt: 'Name its kind.', each: 'list.rows' };
  const place = newPlace('items', planOf([scriptNode('list', list), sort], '{{sort.items}}'), {
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-kill',
    PATINA_MODEL: 'scripted',
  });
  const itemsOf = (from: number): readonly string[] =>
    model
      .chats()
      .slice(from)
      .flatMap(({ text }) => /\\"n\\":(\d+)/.exec(text)?.[1] ?? []);
  const killed = await live(place, { after: 24, hops: 0 });
  expect(killed.at(-1)).not.toBe('over done');
  const before = itemsOf(0);
  expect(before.length).toBeGreaterThan(4);
  expect(before.length).toBeLessThan(rows);
  expect((await live(place)).at(-1)).toBe('over done');
  const after = itemsOf(before.length);
  expect(new Set([...before, ...after]).size).toBe(rows);
  // The four under way when the process ended have no answer yet.
  expect(before.length + after.length).toBeLessThanOrEqual(rows + 4);
  await model.close();
}, 120_000);
