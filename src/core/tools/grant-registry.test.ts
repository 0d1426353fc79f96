import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { Grant } from '#shared/grant';
import { err, ok } from '#shared/result';
import { createManualClock } from '../../testing/manual-clock';
import { createGrantRegistry } from './grant-registry';

const context = { project: '/p', sessionId: 's', runId: 'r', stage: undefined };
const call = (tool: string, approved: boolean) => ({ tool, arguments: {}, approved });
const full = err(appError('HOST', 'STORAGE', 'Full.'));

function setUp(writable = true) {
  const stored: Grant[] = [];
  let made = 0;
  const registry = createGrantRegistry({
    store: {
      list: () => ok(stored),
      add: (grants) => (writable ? (stored.push(...grants), ok(null)) : full),
      remove: (ids) => (ids[0] === 'grant_1' ? ok(null) : full),
    },
    ids: { next: (prefix) => `${prefix}_${(made += 1)}` },
    clock: createManualClock(7).clock,
    definitionOf: (tool) => (tool === 'mcp://a.put' ? 'pinned' : undefined),
  });
  return { registry, stored };
}

describe('permissions that the user saves', () => {
  const request = { reach: 'always', decision: 'allow', where: {} } as const;

  it('have an id, the time and the definition that the user knows', () => {
    const { registry, stored } = setUp();
    const given = registry.give(request, [call('mcp://a.put', true), call('mcp://a.get', true)], context);
    const made = { decision: 'allow', where: {}, reach: { kind: 'always', project: '/p' }, at: 7 };
    const grants = [
      { ...made, id: 'grant_1', tool: 'mcp://a.put', definition: 'pinned' },
      { ...made, id: 'grant_2', tool: 'mcp://a.get' },
    ];
    expect(given).toEqual(ok(grants));
    expect(stored).toEqual(grants);
    expect(registry.list()).toEqual(ok(grants));
  });

  it('need a call that was answered that way', () => {
    const { registry, stored } = setUp();
    expect(registry.give(request, [call('mcp://a.put', false)], context)).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'INVALID_INPUT',
        hint: 'Approve at least one call, or answer just this once.',
      },
    });
    expect(stored).toEqual([]);
  });

  it('are not given when they cannot be stored', () => {
    expect(setUp(false).registry.give(request, [call('mcp://a.put', true)], context)).toEqual(full);
  });

  it('are revoked by id', () => {
    const { registry } = setUp();
    expect(registry.revoke(['grant_1'])).toEqual(ok(null));
    expect(registry.revoke(['other'])).toEqual(full);
  });
});
