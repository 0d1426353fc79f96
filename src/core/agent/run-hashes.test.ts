import { describe, expect, it } from 'vitest';
import { Plan } from '#shared/plan';
import type { Json } from '#shared/json';
import { planHash, summaryHash, type NodeResult } from './run-hashes';

const planWith = (node: { [name: string]: Json }): Plan =>
  Plan.parse({
    goal: 'Count the files',
    nodes: [{ id: 'work', kind: 'script', title: 'Count', code: 'return 1;', ...node }],
    answer: 'done',
  });

describe('the hash of a plan', () => {
  const hash = planHash(planWith({}), '/home/me/shop');

  it('is the same under other titles, and another for other code', () => {
    expect(planHash(planWith({ title: 'Count them' }), '/home/me/shop')).toBe(hash);
    expect(planHash(planWith({ code: 'return 2;' }), '/home/me/shop')).not.toBe(hash);
  });

  it('is the same in every folder, wherever a value or a name contains its path', () => {
    const inFolder = (folder: string): string => {
      const params = { from: `${folder}/a`, [`${folder}/b`]: [`${folder}/c`, 1, null] };
      return planHash(planWith({ params }), folder);
    };
    expect(inFolder('/home/me/shop')).toBe(inFolder('/srv/shop'));
    expect(inFolder('/home/me/shop')).not.toBe(hash);
  });
});

describe('the hash of a summary', () => {
  const done: NodeResult = { id: 'work', status: 'done', summary: 'Counted.', state: { files: 3 } };
  const hash = summaryHash([done], '/srv/shop');

  it.each<[string, NodeResult]>([
    ['id', { ...done, id: 'other' }],
    ['status', { ...done, status: 'failed' }],
    ['summary', { ...done, summary: 'Counted all.' }],
    ['state', { ...done, state: { files: 4 } }],
    [
      'artifacts',
      { ...done, artifacts: [{ type: 'text', handle: `artifact://sha256/${'0'.repeat(64)}`, bytes: 1 }] },
    ],
  ])('is another when its %s is', (_part, changed) => {
    expect(summaryHash([changed], '/srv/shop')).not.toBe(hash);
  });

  it('depends on the order of the steps, and not on the folder', () => {
    const other: NodeResult = { ...done, id: 'other', summary: 'In /srv/shop/a.' };
    expect(summaryHash([done, other], '/srv/shop')).not.toBe(summaryHash([other, done], '/srv/shop'));
    const moved = { ...other, summary: 'In /home/me/shop/a.' };
    expect(summaryHash([done, moved], '/home/me/shop')).toBe(summaryHash([done, other], '/srv/shop'));
  });
});
