import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { maxItems } from '#shared/plan';
import { err, ok } from '#shared/result';
import { eachOfSession, itemsAt, readEach, statesOf } from './each';

describe('where the items of a step come from', () => {
  it.each([
    ['list.files', { source: 'list', path: ['files'] }],
    [' list.files ', { source: 'list', path: ['files'] }],
    ['list_2.a.b', { source: 'list_2', path: ['a', 'b'] }],
    ['list.a[1].b[20]', { source: 'list', path: ['a', '1', 'b', '20'] }],
    ['list[0]', { source: 'list', path: ['0'] }],
    ['list.a[1234567890]', { source: 'list', path: ['a[1234567890]'] }],
    ['list.a[x]', { source: 'list', path: ['a[x]'] }],
    ['list', null],
    ['list.', null],
    ['list..a', null],
    ['.files', null],
    ['', null],
    ['List.files', null],
    ['2list.files', null],
    ['my list.files', null],
    ['list!.files', null],
  ])('is read from %j', (each, source) => {
    expect(readEach(each)).toEqual(source);
  });

  it.each([
    ['previous.rows', 'previous'],
    ['attached.1', 'attached'],
    ['list.previous', undefined],
    ['previous', undefined],
    [undefined, undefined],
  ])('is the session for %j', (each, source) => {
    expect(eachOfSession({ each })).toBe(source);
  });

  it('has the states of the nodes that have one', () => {
    expect(statesOf([{ id: 'a', state: { n: 1 } }, { id: 'b' }])).toEqual(new Map([['a', { n: 1 }]]));
  });
});

describe('the items of a step', () => {
  const reason = (text: string) => ({
    ok: false,
    error: { kind: 'CODE', code: 'INVALID_PLAN', message: text },
  });

  it.each<[string, JsonObject, readonly Json[]]>([
    ['a.rows', { rows: [1, 2] }, [1, 2]],
    ['a.deep[1].rows', { deep: [{}, { rows: ['x'] }] }, ['x']],
    ['a.state.rows', { rows: [3] }, [3]],
    ['a.state.rows', { state: { rows: [4] }, rows: [3] }, [4]],
    [
      'a.rows',
      { rows: Array.from({ length: maxItems }, () => 0) },
      Array.from({ length: maxItems }, () => 0),
    ],
  ])('are the array at %s', (each, state, items) => {
    expect(itemsAt(state, each)).toEqual(ok(items));
  });

  it.each<[string, JsonObject, string]>([
    ['a.rows', {}, '"each" reads a.rows, but the result has no "rows".'],
    ['a.b.rows', { b: null }, '"each" reads a.b.rows, but the result has no "rows".'],
    ['a.b.rows', { b: 'text' }, '"each" reads a.b.rows, but the result has no "rows".'],
    ['a.toString', {}, '"each" reads a.toString, but the result has no "toString".'],
    ['a.b', { b: null }, '"each" reads a.b, but that is null and not an array.'],
    ['a.b', { b: {} }, '"each" reads a.b, but that is an object and not an array.'],
    ['a.b', { b: 'x' }, '"each" reads a.b, but that is a string and not an array.'],
    ['a.b', { b: 1 }, '"each" reads a.b, but that is a number and not an array.'],
    [
      'a.b',
      { b: Array.from({ length: maxItems + 1 }, () => 0) },
      `"each" reads a.b, but that has ${maxItems + 1} items and a step takes at most ${maxItems}; let a script select the items or split them over several steps.`,
    ],
  ])('are missing at %s with the reason', (each, state, message) => {
    expect(itemsAt(state, each)).toMatchObject(reason(message));
  });

  const stored = { $artifact: `artifact://sha256/${'a'.repeat(64)}`, bytes: 9, head: '[' };
  it('are not known while a value on the way is stored outside the state', () => {
    expect(itemsAt({ rows: stored }, 'a.rows')).toEqual(ok(null));
    expect(itemsAt({ box: stored }, 'a.box.rows')).toEqual(ok(null));
  });

  it('are restored on the way, or the failure to restore them is returned', () => {
    const whole = new Map<Json, Json>([[stored, [7]]]);
    const restore = (value: Json) => ok(whole.get(value) ?? value);
    expect(itemsAt({ rows: stored }, 'a.rows', restore)).toEqual(ok([7]));
    expect(itemsAt({ rows: stored }, 'a.rows[0]', restore)).toMatchObject(
      reason('"each" reads a.rows[0], but that is a number and not an array.'),
    );
    const lost = err(appError('HOST', 'NOT_FOUND', 'gone'));
    const failAt = (bad: Json) => (value: Json) => (value === bad ? lost : ok(value));
    expect(itemsAt({ rows: stored }, 'a.rows', failAt(stored))).toBe(lost);
    expect(itemsAt({ rows: stored }, 'a.rows.x', failAt(stored))).toBe(lost);
  });
});
