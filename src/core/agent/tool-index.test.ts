import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';
import { createToolIndex } from './tool-index';
import { createToolSearch } from './tool-search';
import { declareTools } from './tool-signature';

const tool = (server: string, name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  uri: `mcp://${server}.${name}`,
  server,
  tool: name,
  serverVersion: '1',
  readOnly: true,
  description: '',
  inputSchema: { type: 'object', properties: {} },
  ...more,
});
const things = [
  'order',
  'invoice',
  'ticket',
  'parcel',
  'customer',
  'warehouse',
  'refund',
  'voucher',
  'carrier',
];
const verbs = ['list', 'get', 'create', 'update', 'delete', 'search', 'count', 'export'];
const many = things.flatMap((thing) =>
  verbs.map((verb) =>
    tool(`${thing}s`, `${verb}_${thing}`, {
      description: `Will ${verb} one ${thing} of the company, in the way that everybody who works with it every day expects it to be done, without a surprise. More words that nobody needs.`,
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string', description: `Id of the ${thing}.` } },
      },
    }),
  ),
);
const nothing = () => undefined;
const count = (text: string) => Promise.resolve(Math.ceil(text.length / 4));

describe('the tools of a planning call', () => {
  it('[PLN-lines] are listed one per line, with the first sentence after //, and writes marked', async () => {
    const writing = tool('box', 'put', { readOnly: false, description: 'Puts\u202e it "in". Then more.' });
    expect(declareTools([writing]).line(writing.uri)).toBe(
      'tools.box.put({}): json [writes] // Puts it "in".',
    );
  });

  it('[PLN-names] show the name that a script uses, and the tool’s own name where they differ', async () => {
    const text = (await createToolIndex([tool('box', 'get-sum'), tool('box', 'get')], 'x', nothing, count))
      .text;
    expect(text).toContain('tools.box\n');
    expect(text).toContain('\n.get_sum({}): json [mcp://box.get-sum]');
    expect(text).not.toContain('[mcp://box.get]');
  });

  it('[PLN-observed] have observed types where none is declared, and say so', async () => {
    const declared = tool('box', 'a', { outputSchema: { type: 'string' } });
    const { text } = await createToolIndex(
      [declared, tool('box', 'b')],
      'x',
      () => ({ type: 'number' }),
      count,
    );
    expect(text).toContain('tools.box\n.a({}): string');
    expect(text).toContain('\n.b({}): number /* json, observed */');
  });

  it('[PLN-lines] are all listed while they are few', async () => {
    const few = await createToolIndex(many.slice(0, 16), 'x', nothing, count);
    expect(few).toMatchObject({ complete: true, offered: [{ name: 'find_tools' }] });
    // The type `json`, the names of two servers and the tools.
    expect(few.text.split('\n')).toHaveLength(1 + 2 + 16);
  });

  it('[PLN-each] have full lines if they fit the goal, otherwise name and arguments, each under its own name', async () => {
    const putting = tool('box', 'put-all', {
      readOnly: false,
      inputSchema: {
        type: 'object',
        required: ['path', 'rows'],
        properties: {
          path: { type: 'string' },
          head: { type: 'number', default: 3 },
          rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
        },
      },
    });
    const sixty = [...many.slice(0, 59), putting];
    const shown = await createToolIndex(sixty, 'Create a refund', nothing, count);
    expect(shown).toMatchObject({ complete: false, offered: [{ name: 'find_tools' }] });
    expect(shown.text).toContain('tools.refunds.create_refund({ id? }): json // Will create');
    expect(shown.text).toContain('\nbox: put_all(path, head?: number, rows: {id?}[])!');
    expect(shown.text).toContain('\ncustomers: count_customer(id?)');
    for (const { tool: name } of many.slice(0, 59)) expect(shown.text).toContain(`${name}(`);
    expect(shown.text.length).toBeLessThan(5_700);
  });

  it('[PLN-search] above that limit are server names and the tools that fit the steps of the goal', async () => {
    const goal = 'List the parcels of last week, then update their carrier and create a refund';
    const shown = await createToolIndex(many, goal, nothing, count);
    expect(shown.complete).toBe(false);
    expect(shown.text).toContain('There are 72 tools on these servers: orders (8), invoices (8)');
    for (const name of ['parcels.list_parcel', 'carriers.update_carrier', 'refunds.create_refund'])
      expect(shown.text).toContain(`tools.${name}(`);
    expect(shown.text).not.toContain('tools.vouchers.create');
    expect(shown.text.length).toBeLessThan(8_200);
  });

  it('[PLN-search] are fully declared on demand, by words or by name', async () => {
    const { offered, answer } = await createToolIndex(many, 'x', nothing, count);
    expect(offered.map(({ name }) => name)).toEqual(['find_tools']);
    const call = (args: unknown) => ({ id: '1', name: 'find_tools', argumentsJson: JSON.stringify(args) });
    const told = answer(call({ queries: ['export vouchers', 'tools.tickets.count_ticket'] }));
    expect(told.split('\n')[1]).toContain('tools.vouchers.export_voucher(');
    expect(told).toContain('tools.tickets.count_ticket({ id? }): json');
    expect(told).toContain('id: "Id of the ticket."');
    expect(answer(call({ queries: ['zzz'] }))).toContain('No tool fits');
    expect(answer({ id: '1', name: 'find_tools', argumentsJson: '{' })).toContain('No tool fits');
  });

  it('[PLN-search] are found alike in any order', async () => {
    const found = createToolSearch(many).find('export an invoice', 10);
    expect(createToolSearch([...many].reverse()).find('export an invoice', 10)).toEqual(found);
    expect(found[0]).toBe('mcp://invoices.export_invoice');
  });

  const address = {
    type: 'object',
    properties: { street_and_number: { type: 'string' }, city: { type: 'string' }, zip: { type: 'string' } },
  };
  const order = {
    type: 'object',
    title: 'Order',
    required: ['id', 'total'],
    properties: { id: { type: 'string' }, total: { type: 'number' }, shipping_address: address },
  };
  const shop = [
    tool('shop', 'list_orders', {
      outputSchema: { type: 'object', properties: { orders: { type: 'array', items: order } } },
    }),
    tool('shop', 'get_order', { outputSchema: order }),
    tool('shop', 'cancel_order', {
      readOnly: false,
      outputSchema: order,
      inputSchema: {
        type: 'object',
        required: ['reason'],
        properties: {
          reason: {
            type: 'string',
            description:
              "The reason. It must be 'no longer needed' or 'ordered by mistake'.\nIt can't be undone.",
          },
          state: { type: 'string', description: 'pending, processed or delivered' },
          how: { enum: ['a', 'b'], description: "One of 'a' or 'b'." },
          lines: {
            type: 'array',
            items: {
              type: 'object',
              properties: { kind: { type: 'string', description: 'Either x or y.' } },
            },
          },
          note: { type: 'string', description: 'Free words of the user.' },
        },
      },
    }),
    tool('shop', 'get_customer', {
      outputSchema: { type: 'object', properties: { billing_address: address, age: { type: 'number' } } },
    }),
  ];

  it('[DCL-types] share a type declaration under a stable name', async () => {
    const { text } = await createToolIndex(shop, 'x', nothing, count);
    const [first, second, ...lines] = text.split('\n');
    expect(first).toBe('type Address = { street_and_number?, city?, zip? }');
    expect(second).toBe('type Order = { id, total#, shipping_address?: Address }');
    expect(lines.map((line) => line.replace(/ \/\/.*/, ''))).toEqual([
      'tools.shop',
      expect.stringMatching(/^\.cancel_order\(\{ reason, state\?, .*\): Order \[writes\]/),
      '.get_customer({}): { billing_address?: Address, age?# }',
      '.get_order({}): Order',
      '.list_orders({}): { orders?: Order[] }',
    ]);
    expect((await createToolIndex(shop.toReversed(), 'y', nothing, count)).text).toBe(text);
  });

  it('[DCL-types] have different names for different types, and none with another meaning', async () => {
    const error = (extra: string) => ({
      type: 'object',
      title: 'Error',
      properties: { message_of_the_whole_failure: { type: 'string' }, [extra]: { type: 'number' } },
    });
    const failing = ['a', 'b', 'c', 'd'].map((name, at) =>
      tool('box', name, { outputSchema: error(at < 2 ? 'one' : 'two') }),
    );
    const { text } = await createToolIndex(failing, 'x', nothing, count);
    expect(text.split('\n').map((line) => line.split(' = ')[0])).toEqual([
      'type ErrorType',
      'type ErrorType2',
      'tools.box',
      '.a({}): ErrorType',
      '.b({}): ErrorType',
      '.c({}): ErrorType2',
      '.d({}): ErrorType2',
    ]);
  });

  it('[DCL-values] keep the sentences about arguments that name the accepted values', async () => {
    const { text, answer } = await createToolIndex(shop, 'x', nothing, count);
    const line = text.split('\n').find((one) => one.startsWith('.cancel_order'));
    expect(line).toContain(`// reason: It must be 'no longer needed' or 'ordered by mistake'. state: `);
    expect(line).toContain('state: pending, processed or delivered');
    expect(line).toContain('lines[].kind: Either x or y.');
    expect(line).not.toMatch(/how: O|note: F|can't/);
    const told = answer({
      id: '1',
      name: 'find_tools',
      argumentsJson: '{"queries":["tools.shop.cancel_order"]}',
    });
    expect(told).toContain(
      `  reason: "The reason. It must be 'no longer needed' or 'ordered by mistake'. It can't be undone."`,
    );
    expect(told).toContain('type Order = ');
  });

  it('[DCL-common] state once per server what all its tools with an argument say of it', async () => {
    const id = { type: 'string', description: "The order, such as '#W1'." };
    const zip = (description?: string) => ({ type: 'string', ...(description && { description }) });
    const takes = (properties: JsonObject) => ({ inputSchema: { type: 'object', properties } });
    const orders = [
      tool('orders', 'cancel', takes({ id, zip: zip("Such as '12345'.") })),
      tool('orders', 'find', takes({ id, zip: zip("Such as '12345'."), town: zip("Such as 'Rome'.") })),
      tool('orders', 'send', takes({ id, zip: zip() })),
      tool('stock', 'get', takes({ id: zip("The item, such as 'i7'.") })),
    ];
    const { text } = await createToolIndex(orders, 'x', nothing, count);
    const lines = text.split('\n').filter((line) => !line.startsWith('type '));
    expect(lines[0]).toBe("tools.orders // arguments: id: The order, such as '#W1'.");
    expect(lines.slice(1, 4).filter((line) => line.includes('#W1'))).toEqual([]);
    expect(lines[1]).toContain("zip: Such as '12345'.");
    expect(lines[2]).toContain("zip: Such as '12345'. town: Such as 'Rome'.");
    expect(lines[4]).toBe('tools.stock');
    expect(lines[5]).toContain("id: The item, such as 'i7'.");
  });

  it('[DCL-full] are declared in full up to 1,500 tokens, and find_tools is offered all the same', async () => {
    const size = (text: string) => Promise.resolve(text.length);
    const lines = (tokens: number) =>
      createToolIndex(shop, 'x', nothing, async (text) => (await size(text)) - text.length + tokens);
    expect(await lines(1_500)).toMatchObject({ complete: true, offered: [{ name: 'find_tools' }] });
    expect(await lines(1_501)).toMatchObject({ complete: false, offered: [{ name: 'find_tools' }] });
  });

  it('[DCL-readers] always include the declarations of tools that search and read', async () => {
    const library = [
      tool('library', 'search_text', { description: 'Looks for words.' }),
      tool('library', 'readPage', { description: 'Gives a page.' }),
    ];
    for (const others of [many.slice(0, 50), many]) {
      const { text, complete } = await createToolIndex([...others, ...library], 'refund', nothing, count);
      expect(complete).toBe(false);
      expect(text).toContain('tools.library.search_text({}): json // Looks for words.');
      expect(text).toContain('tools.library.readPage({}): json // Gives a page.');
    }
  });
});
