import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '#shared/session-event';
import {
  eventOf,
  factOf,
  firstLink,
  isIntact,
  linkOf,
  relinked,
  rowHash,
  rowSetAside,
  rowSum,
  toRow,
  unreadableLink,
  type EventRow,
} from './event-row';

const event: SessionEvent = {
  sessionId: 's',
  seq: 3,
  at: 5,
  v: 1,
  type: 'session-renamed',
  title: 'a "title"\n{',
};
const row = toRow(event, firstLink('s'));
const { sessionId, seq, at, v, ...fact } = event;
const unlinked = { sessionId, seq, at, v, fact: JSON.stringify(fact) };
/** The same event as schema version 2 wrote it. */
const older: EventRow = { ...unlinked, sum: rowSum(unlinked) };

describe('[STO-chain] a stored event', () => {
  it('is the event again, with or without a link to the one before', () => {
    expect([row, older].map(eventOf)).toEqual([event, event]);
    expect([row, older].map((each) => factOf(each.fact))).toEqual([fact, fact]);
    expect([row, older].map((each) => linkOf(each.fact))).toEqual([firstLink('s'), null]);
  });

  it.each<readonly [string, Partial<EventRow>]>([
    ['session', { sessionId: 't' }],
    ['number', { seq: 4 }],
    ['time', { at: 6 }],
    ['version', { v: 2 }],
    ['fact', { fact: row.fact.replace('title', 'Title') }],
    ['checksum', { sum: row.sum + 1 }],
  ])('does not match its checksum with another %s', (_name, other) => {
    expect([isIntact(row), isIntact({ ...row, ...other })]).toEqual([true, false]);
  });

  it('has a hash that covers all events before it: by its link, or else by the hash that it is given', () => {
    expect(rowHash(row, 'x')).toBe(rowHash(row, 'y'));
    expect(rowHash(relinked(row, unreadableLink('s', 2)), 'x')).not.toBe(rowHash(row, 'x'));
    expect(rowHash(older, 'x')).not.toBe(rowHash(older, 'y'));
    expect(rowHash(row, '')).toMatch(/^[\w-]{43}$/);
  });

  it('can be linked to another event before it; one without a link stays as it is', () => {
    const other = relinked(row, unreadableLink('s', 2));
    expect(linkOf(other.fact)).toBe(unreadableLink('s', 2));
    expect([isIntact(other), eventOf(other)]).toEqual([true, event]);
    expect(relinked(older, unreadableLink('s', 2))).toEqual(older);
  });

  it('has another first link in each session, and another one after each event that is lost', () => {
    const links = [
      firstLink('s'),
      firstLink('t'),
      unreadableLink('s', 1),
      unreadableLink('s', 2),
      unreadableLink('t', 1),
    ];
    expect(new Set(links).size).toBe(links.length);
  });
});

it('[STO-repair] a row that was set aside is read from its text, and anything else is none', () => {
  expect(rowSetAside(JSON.stringify([3, 's', 5, 1, row.sum, row.fact]))).toEqual(row);
  for (const text of [
    '',
    'no json',
    '{}',
    '[]',
    '["3","s",5,1,0,"{}"]',
    '[3,7,5,1,0,"{}"]',
    '[3,"s",5,1,0,{}]',
  ]) {
    expect(rowSetAside(text), text).toBeNull();
  }
});
