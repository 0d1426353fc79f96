import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../ports/tool-definition';
import { createToolIndex } from './tool-index';
import { createToolSearch } from './tool-search';
import { toolLines } from './tool-signature';

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

describe('the tools of a planning call', () => {
  it('[PLN-lines] are one line each, with the first sentence in quotes, writes marked', () => {
    const writing = tool('box', 'put', { readOnly: false, description: 'Puts\u202e it "in". Then more.' });
    expect(toolLines([writing]).get(writing.uri)).toBe(
      'tools.box.put({}): unknown [writes] "Puts it \\"in\\"."',
    );
  });

  it('[PLN-names] show the name a script uses, and the own one where they differ', () => {
    const text = createToolIndex([tool('box', 'get-sum'), tool('box', 'get')], 'x', nothing).text;
    expect(text).toContain('tools.box.get_sum({}): unknown [mcp://box.get-sum]');
    expect(text).not.toContain('[mcp://box.get]');
  });

  it('[PLN-observed] are typed by what was seen when nothing is declared, and say so', () => {
    const declared = tool('box', 'a', { outputSchema: { type: 'string' } });
    const { text } = createToolIndex([declared, tool('box', 'b')], 'x', () => ({ type: 'number' }));
    expect(text).toContain('tools.box.a({}): string');
    expect(text).toContain('tools.box.b({}): number /* observed */');
  });

  it('[PLN-lines] are all there while they are few', () => {
    const few = createToolIndex(many.slice(0, 16), 'x', nothing);
    expect(few).toMatchObject({ complete: true, offered: [{ name: 'find_tools' }] });
    expect(few.text.split('\n')).toHaveLength(16);
  });

  it('are whole lines where they fit the goal, else name and arguments, each under its own name', () => {
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
    const shown = createToolIndex(sixty, 'Create a refund', nothing);
    expect(shown).toMatchObject({ complete: false, offered: [{ name: 'find_tools' }] });
    expect(shown.text).toContain('tools.refunds.create_refund({ id?: string }): unknown "Will create');
    expect(shown.text).toContain('\nbox: put_all(path, head?: number, rows: {id?}[])!');
    expect(shown.text).toContain('\ncustomers: count_customer(id?)');
    for (const { tool: name } of many.slice(0, 59)) expect(shown.text).toContain(`${name}(`);
    expect(shown.text.length).toBeLessThan(4_500);
  });

  it('[PLN-search] above that are server names and what fits the steps of the goal', () => {
    const goal = 'List the parcels of last week, then update their carrier and create a refund';
    const shown = createToolIndex(many, goal, nothing);
    expect(shown.complete).toBe(false);
    expect(shown.text).toContain('There are 72 tools on these servers: orders (8), invoices (8)');
    for (const name of ['parcels.list_parcel', 'carriers.update_carrier', 'refunds.create_refund'])
      expect(shown.text).toContain(`tools.${name}(`);
    expect(shown.text).not.toContain('tools.vouchers.');
    expect(shown.text.length).toBeLessThan(7_000);
  });

  it('[PLN-search] gives full declarations on demand, by words or by name', () => {
    const { offered, answer } = createToolIndex(many, 'x', nothing);
    expect(offered.map(({ name }) => name)).toEqual(['find_tools']);
    const call = (args: unknown) => ({ id: '1', name: 'find_tools', argumentsJson: JSON.stringify(args) });
    const told = answer(call({ queries: ['export vouchers', 'tools.tickets.count_ticket'] }));
    expect(told.split('\n')[0]).toContain('tools.vouchers.export_voucher(');
    expect(told).toContain('tools.tickets.count_ticket({ id?: string }): unknown');
    expect(told).toContain('id: "Id of the ticket."');
    expect(answer(call({ queries: ['zzz'] }))).toContain('No tool fits');
    expect(answer({ id: '1', name: 'find_tools', argumentsJson: '{' })).toContain('No tool fits');
  });

  it('[PLN-search] are found the same way whatever order they come in', () => {
    const found = createToolSearch(many).find('export an invoice', 10);
    expect(createToolSearch([...many].reverse()).find('export an invoice', 10)).toEqual(found);
    expect(found[0]).toBe('mcp://invoices.export_invoice');
  });
});
