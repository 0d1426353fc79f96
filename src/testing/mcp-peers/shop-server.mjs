import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

// A stateful shop, over stdio: a fixed seed generates its data, so that all instances start with the same.
let seed = 7;
const next = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
const pick = (/** @type {readonly string[]} */ list) => list[next(list.length)] ?? '';
const id = (/** @type {string} */ letter, /** @type {number} */ n) => `${letter}-${1000 + n}`;

const customers = Array.from({ length: 12 }, (_, n) => ({
  id: id('C', n),
  name: `${pick(['Ada', 'Ben', 'Cleo', 'Dan'])} ${pick(['Fox', 'Hill', 'Moor', 'Pike'])} ${n}`,
  email: `c${n}@example.org`,
  city: pick(['Bern', 'Lyon', 'Oslo', 'Turin']),
  since: 2015 + next(10),
}));
const products = Array.from({ length: 80 }, (_, n) => ({
  id: id('P', n),
  name: `${pick(['Oak', 'Steel', 'Linen'])} ${pick(['lamp', 'desk', 'chair'])} ${n}`,
  price: 20 + next(180),
  stock: next(25),
  shelf: `${pick(['A', 'B', 'C'])}${next(40)}`,
}));
/** Of twenty orders one is late, one sent, two are open, the others paid. @param {number} n */
const statusOf = (n) => ({ 1: 'open', 3: 'late', 5: 'open', 7: 'sent' })[n % 20] ?? 'paid';
const orders = Array.from({ length: 120 }, (_, n) => ({
  id: id('O', n),
  customer: id('C', next(12)),
  status: statusOf(n),
  items: Array.from({ length: 1 + next(3) }, () => ({ product: id('P', next(80)), count: 1 + next(4) })),
  total: 40 + next(900),
  placed: `2026-0${1 + next(9)}-1${next(10)}`,
  tags: /** @type {string[]} */ ([]),
  address: `${next(200)} ${pick(['Mill', 'Park', 'Lake'])} Street, ${pick(['Bern', 'Lyon', 'Oslo'])}`,
}));
/** @type {object[]} */
const refunds = [];

const text = { type: 'string' };
const number = { type: 'number' };
/** @param {{ id: string }[]} rows @param {unknown} wanted */
function one(rows, wanted) {
  const row = rows.find((candidate) => candidate.id === wanted);
  if (!row) throw new Error(`There is no ${String(wanted)}.`);
  return row;
}

/** @type {Record<string, { about: string, write?: boolean, args: object, required?: string[], run: (args: any) => unknown }>} */
const tools = {
  list_orders: {
    about: 'Lists orders, all or those of one status. Newest last.',
    args: { status: { enum: ['open', 'paid', 'sent', 'late'], description: 'Only orders of this status.' } },
    run: ({ status }) => ({ orders: orders.filter((order) => !status || order.status === status) }),
  },
  get_order: {
    about: 'Gives one order with its items.',
    args: { id: text },
    required: ['id'],
    run: (a) => one(orders, a.id),
  },
  get_customer: {
    about: 'Gives one customer.',
    args: { id: text },
    required: ['id'],
    run: (a) => one(customers, a.id),
  },
  list_products: { about: 'Lists all products with price and stock.', args: {}, run: () => ({ products }) },
  get_product: {
    about: 'Gives one product.',
    args: { id: text },
    required: ['id'],
    run: (a) => one(products, a.id),
  },
  update_stock: {
    about: 'Sets how many of a product are in stock.',
    write: true,
    args: { id: text, stock: { ...number, minimum: 0 } },
    required: ['id', 'stock'],
    run: (a) => Object.assign(one(products, a.id), { stock: a.stock }),
  },
  tag_order: {
    about: 'Adds a tag to an order.',
    write: true,
    args: { id: text, tag: text },
    required: ['id', 'tag'],
    run: (a) => {
      const order = /** @type {(typeof orders)[number]} */ (one(orders, a.id));
      if (!order.tags.includes(a.tag)) order.tags.push(a.tag);
      return { id: order.id, tags: order.tags };
    },
  },
  create_refund: {
    about: 'Refunds an amount of an order.',
    write: true,
    args: { order: text, amount: number, reason: text },
    required: ['order', 'amount', 'reason'],
    run: (a) => {
      one(orders, a.order);
      const refund = { id: id('R', refunds.length), order: a.order, amount: a.amount, reason: a.reason };
      refunds.push(refund);
      return refund;
    },
  },
  list_customers: { about: 'Lists all customers.', args: {}, run: () => ({ customers }) },
  list_refunds: { about: 'Lists all refunds.', args: {}, run: () => ({ refunds }) },
  find_products: {
    about: 'Finds products whose name contains a word.',
    args: { word: text },
    required: ['word'],
    run: (a) => ({ products: products.filter(({ name }) => name.includes(a.word)) }),
  },
  set_price: {
    about: 'Sets the price of a product.',
    write: true,
    args: { id: text, price: number },
    required: ['id', 'price'],
    run: (a) => Object.assign(one(products, a.id), { price: a.price }),
  },
  cancel_order: {
    about: 'Cancels an order.',
    write: true,
    args: { id: text, reason: text },
    required: ['id'],
    run: (a) => Object.assign(one(orders, a.id), { status: 'cancelled' }),
  },
  export_state: {
    about: 'Gives everything the shop holds.',
    args: {},
    run: () => ({ orders, products, refunds }),
  },
};

const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(tools).map(([name, { about, write, args, required = [] }]) => ({
    name,
    description: about,
    inputSchema: { type: 'object', properties: args, required },
    annotations: { readOnlyHint: write !== true },
  })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  const tool = tools[params.name];
  try {
    const result = tool?.run(params.arguments ?? {});
    return {
      content: [{ type: 'text', text: JSON.stringify(result) }],
      structuredContent: JSON.parse(JSON.stringify(result)),
    };
  } catch (cause) {
    return { isError: true, content: [{ type: 'text', text: String(cause) }] };
  }
});
await server.connect(new StdioServerTransport());
