import { expect, it } from 'vitest';
import { PlanNode } from './plan';

it('the title of a step is drawn as it reads, and is not empty', () => {
  const titled = (title: string) => PlanNode.safeParse({ id: 'one', title, kind: 'script' });
  expect(titled('Delete \u202eeno').data?.title).toBe('Delete eno');
  expect(titled('\u202e').success).toBe(false);
});
