import { expect, it } from 'vitest';
import type { Json } from '#shared/json';
import { withTables } from './result-tables';

const orders = (count: number): Json =>
  Array.from({ length: count }, (_, n) => ({ order_id: `#W${n}`, status: 'pending', total: n }));

it('[STG-observation] an array of objects with the same keys names each key once', () => {
  expect(withTables({ orders: orders(3) })).toEqual({
    orders: {
      $rows: [
        ['order_id', 'status', 'total'],
        ['#W0', 'pending', 0],
        ['#W1', 'pending', 1],
        ['#W2', 'pending', 2],
      ],
    },
  });
});

it('[STG-observation] the order of keys in an object does not matter, and falsy values stay', () => {
  const value = [
    { first: null, second: false, third: '' },
    { third: 0, second: [], first: {} },
  ];
  expect(withTables(value)).toEqual({
    $rows: [
      ['first', 'second', 'third'],
      [null, false, ''],
      [{}, [], 0],
    ],
  });
});

it('[STG-observation] objects inside like objects add columns, and lists inside are tables', () => {
  const order = (id: number) => ({
    id,
    address: { city: 'Ulm', country: { code: 'DE' } },
    items: [
      { item_id: 'a', price: 1 },
      { item_id: 'b', price: 2 },
    ],
  });
  const items = {
    $rows: [
      ['item_id', 'price'],
      ['a', 1],
      ['b', 2],
    ],
  };
  expect(withTables([order(1), order(2)])).toEqual({
    $rows: [
      ['id', 'address.city', 'address.country.code', 'items'],
      [1, 'Ulm', 'DE', items],
      [2, 'Ulm', 'DE', items],
    ],
  });
});

it.each([
  ['one object', [{ order_id: '#W0', status: 'pending' }]],
  ['different keys', [{ order_id: '#W0' }, { order_id: '#W1', status: 'pending' }]],
  ['other keys of the same number', [{ order_id: '#W0' }, { order_no: '#W1' }]],
  ['values of several kinds', [{ order_id: '#W0' }, '#W1']],
  ['objects without keys', [{}, {}]],
  ['a key with a dot', [{ 'order.id': '#W0' }, { 'order.id': '#W1' }]],
  ['short keys and few rows', [{ a: 1 }, { a: 2 }]],
  ['no objects', ['#W0', '#W1']],
  ['nothing', []],
  ['a plain value', 'text'],
])('[STG-observation] %s: the value stays as it is', (_, value: Json) => {
  expect(withTables(value)).toEqual(value);
});

it('[STG-observation] a table is never longer than the array', () => {
  for (const count of [1, 2, 3, 10, 100]) {
    const value = orders(count);
    expect(JSON.stringify(withTables(value)).length).toBeLessThanOrEqual(JSON.stringify(value).length);
  }
  expect(JSON.stringify(withTables(orders(100))).length).toBeLessThan(
    JSON.stringify(orders(100)).length * 0.6,
  );
});

it('[STG-observation] objects stay as they are where a key contains a dot, which separates parts of a path', () => {
  const rows = Array.from({ length: 5 }, (_, at) => ({ 'price.net': at, name: `row ${at}` }));
  expect(withTables(rows)).toEqual(rows);
});
