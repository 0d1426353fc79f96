import type { SessionSummary } from '#shared/session-state';
import { noMarks } from '#shared/session-marks';
import { describe, expect, it } from 'vitest';
import { dayLabel, firstSessions, groupSessions } from './session-view';

const noon = new Date(2026, 2, 18, 12).getTime();
const at = (daysAgo: number, hour: number) => new Date(2026, 2, 18 - daysAgo, hour).getTime();
const summary = (id: string, updatedAt: number, archived = false): SessionSummary => ({
  id,
  title: id,
  project: null,
  archived,
  createdAt: updatedAt,
  updatedAt,
  turnCount: 1,
  marks: noMarks,
});

describe('sessions by day', () => {
  it.each([
    [at(0, 0), 'Today'],
    [at(1, 23), 'Yesterday'],
    [at(1, 0), 'Yesterday'],
    [at(2, 23), 'Previous 7 days'],
    [at(7, 1), 'Previous 7 days'],
    [at(8, 23), 'Previous 30 days'],
    [at(31, 1), 'Older'],
  ])('groups %d under %s', (when, label) => {
    expect(dayLabel(when, noon)).toBe(label);
  });

  it('lists the newest first, archived ones separately, and cuts to the drawn part', () => {
    const all = [summary('old', at(1, 9)), summary('new', at(0, 9)), summary('gone', at(0, 8), true)];
    const { groups, archived } = groupSessions(Object.fromEntries(all.map((one) => [one.id, one])), noon);
    expect(groups.map(({ label, sessions }) => [label, sessions.map(({ id }) => id)])).toEqual([
      ['Today', ['new']],
      ['Yesterday', ['old']],
    ]);
    expect(archived.map(({ id }) => id)).toEqual(['gone']);
    expect(firstSessions(groups, 1).map(({ label }) => label)).toEqual(['Today']);
  });
});

describe('[RAIL-groups] sessions by folder, and pinned ones', () => {
  const inFolder = (id: string, project: string | null, pinned = false): SessionSummary => ({
    ...summary(id, at(0, 9)),
    project,
    marks: { ...noMarks, pinned },
  });
  const labels = (all: readonly SessionSummary[], grouping: 'day' | 'folder') =>
    groupSessions(Object.fromEntries(all.map((one) => [one.id, one])), noon, grouping).groups.map(
      ({ label, sessions }) => [label, sessions.map(({ id }) => id).sort()],
    );

  it('lists pinned sessions before every group, and in no other', () => {
    const all = [inFolder('a', '/code/atlas'), inFolder('b', '/code/atlas', true)];
    expect(labels(all, 'day')).toEqual([
      ['Pinned', ['b']],
      ['Today', ['a']],
    ]);
    expect(labels(all, 'folder')[0]).toEqual(['Pinned', ['b']]);
  });

  it('separates folders of the same name, and lists sessions without one', () => {
    const all = [inFolder('a', '/code/atlas'), inFolder('b', '/old/atlas'), inFolder('c', '/x/tools')];
    const found = labels([...all, inFolder('d', null)], 'folder');
    expect(found.map(([label]) => label).toSorted()).toEqual([
      'No project folder',
      'code/atlas',
      'old/atlas',
      'tools',
    ]);
  });
});
