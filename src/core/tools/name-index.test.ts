import { expect, it } from 'vitest';
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
