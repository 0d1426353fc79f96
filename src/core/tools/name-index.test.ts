import { expect, it } from 'vitest';
import type { Json } from '#shared/json';
import { createNameIndex } from './name-index';

const orders = 'mcp://shop.orders';

it('[APR-names] names the ids that a read of the run returned, with the tool that named them', () => {
  const names = createNameIndex();
  names.note(orders, { rows: [{ order_id: 'W17', title: 'Two  lamps', user: { id: 7, name: 'Ada' } }] });
  names.note(orders, '[{"sku": "L-1", "label": "Lamp"}]');
  expect(names.of({ orderId: 'W17', items: ['L-1', 'L-2'], to: { user: 7 } })).toEqual(
    expect.arrayContaining([
      { value: 'W17', name: 'Two lamps', source: orders },
      { value: 'L-1', name: 'Lamp', source: orders },
      { value: '7', name: 'Ada', source: orders },
    ]),
  );
  expect(names.of({ id: 'unknown' })).toEqual([]);
});

it('stays small whatever a read returns', () => {
  const names = createNameIndex();
  const rows = Array.from({ length: 9_000 }, (_, id) => ({ id: `id-${id}`, name: `Name ${id}` }));
  names.note(orders, rows);
  names.note(orders, { id: 'x', name: 'y'.repeat(10_000) });
  expect(names.of({ a: 'x' })[0]?.name).toHaveLength(120);
  expect(names.of({ ids: rows.map(({ id }) => id) })).toHaveLength(50);
});

const named = (row: object, key: string) => {
  const names = createNameIndex();
  names.note(orders, row as Json);
  return names.of({ x: key })[0]?.name;
};

it.each([
  'id',
  'uuid',
  'guid',
  'key',
  'sku',
  'number',
  'code',
  'handle',
  'slug',
  'user_id',
  'userId',
  'userID',
])('the member %s is an id', (key) => {
  expect(named({ [key]: 'x1', name: 'One' }, 'x1')).toBe('One');
});

it.each(['identity', 'ids', 'unid', 'my_ids', 'Id', 'VOID', 'id_card', 'note'])(
  'the member %s is no id',
  (key) => {
    expect(named({ [key]: 'x1', name: 'One' }, 'x1')).toBeUndefined();
  },
);

it.each(['name', 'title', 'label', 'display_name', 'displayName', 'full_name', 'summary', 'email'])(
  'the member %s is a name',
  (key) => {
    expect(named({ id: 'x1', [key]: ' a  b\nc' }, 'x1')).toBe(' a b c');
    expect(named({ id: 'x1', [key]: '' }, 'x1')).toBeUndefined();
    expect(named({ id: 'x1', [key]: 3 }, 'x1')).toBeUndefined();
  },
);

it('a row has the first of its names, and says nothing where its id is the name', () => {
  expect(named({ id: 'x1', email: 'e', title: '', label: 'L' }, 'x1')).toBe('L');
  expect(named({ id: 'x1', name: 'x1' }, 'x1')).toBeUndefined();
  expect(named({ id: '', name: 'One' }, '')).toBeUndefined();
  expect(named({ id: 'y'.repeat(120), name: 'One' }, 'y'.repeat(120))).toBe('One');
  expect(named({ id: 'y'.repeat(121), name: 'One' }, 'y'.repeat(121))).toBeUndefined();
  expect(named({ id: true, name: 'One' }, 'true')).toBeUndefined();
});

it.each<[string, string | undefined]>([
  ['[{"id":1,"name":"One"}]', 'One'],
  [' \n{"id":1,"name":"One"}', 'One'],
  ['see {"id":1,"name":"One"}', undefined],
  ['{"id":1,', undefined],
])('a text is read as JSON if it is: %j', (text, expected) => {
  expect(named(text as never, '1')).toBe(expected);
});

it('the newest name of an id counts, and of too many names the oldest are forgotten', () => {
  const names = createNameIndex();
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ id: `id-${at}`, name: `Name ${at}` }));
  names.note(orders, { id: 'old', name: 'Old' });
  names.note('mcp://shop.first', { id: 'kept', name: 'Before' });
  // The newest rows of a list are read first.
  names.note(orders, rows.slice(0, 4_998));
  expect(names.of({ a: 'old' })).toHaveLength(1);
  names.note(orders, { id: 'kept', name: 'After' });
  names.note(orders, { id: 'more', name: 'More' });
  expect(names.of({ a: 'old', b: 'kept', c: 'more' })).toEqual([
    { value: 'kept', name: 'After', source: orders },
    { value: 'more', name: 'More', source: orders },
  ]);
});

it('a long result is read only in part', () => {
  const names = createNameIndex();
  names.note(
    orders,
    Array.from({ length: 30_000 }, (_, id) => ({ id, name: `Name ${id}` })),
  );
  expect(names.of({ few: ['15000', '25000'] })).toEqual([
    { value: '15000', name: 'Name 15000', source: orders },
  ]);
});
