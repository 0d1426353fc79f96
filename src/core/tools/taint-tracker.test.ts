import { expect, it } from 'vitest';
import { createTaintTracker, mergeTaintSources } from './taint-tracker';

const from = (source: string, nodeId = 'n', trusted = false) => ({ source, nodeId, trusted });

it('the sources of a node are listed once each, in order of arrival, and are never removed', () => {
  const tracker = createTaintTracker([from('a'), from('a'), from('b')]);
  tracker.add(from('b'));
  tracker.add(from('a', 'other'));
  expect(tracker.all()).toEqual([from('a'), from('b'), from('a', 'other')]);
});

it('merged sources keep the first of equal ones', () => {
  expect(mergeTaintSources([from('a')], [], [from('a', 'n', true), from('b')])).toEqual([
    from('a'),
    from('b'),
  ]);
});
