import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { planOf, scriptNode, test } from '../fixtures/command-line';

const list =
  "return { summary: 'listed', state: { rows: Array.from({ length: 300 }, (_, i) => ({ path: 'src/' + i, size: i })) } };";
const count = "return { summary: 'counted', state: { n: inputs.list.rows.length } };";

test('[ART-spill] [ART-whole] [ART-cli] a large result is stored, used in full, listed and searched', async ({
  patina,
  project,
}) => {
  const file = join(project, 'plan.json');
  const nodes = [scriptNode('list', list), { ...scriptNode('count', count), deps: ['list'] }];
  await writeFile(file, JSON.stringify(planOf(nodes, 'There are {{count.n}} rows.')));
  const ran = await patina(['agent', 'List', '--plan', file, '--json']);
  expect(ran.json()).toMatchObject({ outcome: 'done', answer: 'There are 300 rows.' });
  const [kept] = ran.json()['artifacts'] as { handle: string; bytes: number; name: string }[];
  expect(kept).toMatchObject({ name: 'rows.json' });
  const { handle, bytes } = kept ?? { handle: '', bytes: 0 };
  expect((await patina(['artifact', 'list', '--json'])).json()).toMatchObject([{ handle, bytes }]);
  const whole = (await patina(['artifact', 'show', handle])).stdout;
  expect(JSON.parse(whole)).toHaveLength(300);
  const found = (await patina(['artifact', 'show', handle, '--grep', 'src/299', '--json'])).json();
  expect(found).toMatchObject({ handle, lines: 1, cut: false });
  expect(found['text']).toMatch(/^1: \[/);
  const none = await patina(['artifact', 'show', `artifact://sha256/${'0'.repeat(64)}`, '--json']);
  expect([none.code, none.json()]).toMatchObject([1, { kind: 'HOST', code: 'NOT_FOUND' }]);
});
