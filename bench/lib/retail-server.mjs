import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

// The retail tools of tau2-bench, over stdio: declared as its tools.py declares them, on its data. The rules that the
// tools check are those of tools.py. `reset` and `export_state` are for the bench alone.
const [, , folder = ''] = process.argv;
const source = readFileSync(path.join(folder, 'tools.py'), 'utf8');
const data = readFileSync(path.join(folder, 'db.json'), 'utf8');
/** @type {any} */
let db = JSON.parse(data);

/** Every tool of the source: its name, arguments and texts. */
function declared() {
  const found = source.matchAll(
    /^ {4}@is_tool\(ToolType\.(\w+)\)\n {4}def (\w+)\(\s*self,?([^)]*)\)[^\n]*\n {8}"""([\s\S]*?)"""/gm,
  );
  return [...found].map(([, kind, name = '', parameters = '', doc = '']) => {
    const [about = '', ...rest] = doc.split(/\n\s*Args:\n/);
    const texts = (rest[0] ?? '').split(/\n\s*(?:Returns|Raises):\n/)[0] ?? '';
    const args = [...parameters.matchAll(/(\w+): ([\w[\]]+)/g)].map(([, arg = '', type]) => {
      const description = new RegExp(`^\\s*${arg}: ([\\s\\S]*?)(?=\\n\\s*\\w+: |(?![\\s\\S]))`, 'm').exec(
        texts,
      )?.[1];
      const schema = type === 'List[str]' ? { type: 'array', items: { type: 'string' } } : { type: 'string' };
      return [arg, { ...schema, description: (description ?? '').replace(/\s+/g, ' ').trim() }];
    });
    return {
      name,
      description: about.replace(/\s+/g, ' ').trim(),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(args),
        required: args.map(([arg]) => arg),
      },
      annotations: { readOnlyHint: kind !== 'WRITE' && name !== 'transfer_to_human_agents' },
    };
  });
}

/** @param {any} row @param {string} what */
function found(row, what) {
  if (row === undefined) throw new Error(`${what} not found`);
  return row;
}
const orderOf = (/** @type {string} */ id) => found(db.orders[id], 'Order');
const userOf = (/** @type {string} */ id) => found(db.users[id], 'User');
/** @param {any} order @param {string} id */
const paymentOf = (order, id) => found(userOf(order.user_id).payment_methods[id], 'Payment method');
const cents = (/** @type {number} */ value) => Math.round(value * 100) / 100;
const isGift = (/** @type {any} */ method) => method.source === 'gift_card';
/** @param {(user: any) => boolean} fits */
const idOfUser = (fits) =>
  found(
    Object.values(db.users).find((user) => fits(user)),
    'User',
  ).user_id;
const same = (/** @type {string} */ a, /** @type {string} */ b) => a.toLowerCase() === b.toLowerCase();
/** @param {any} args */
const addressOf = ({ address1, address2, city, state, country, zip }) => ({
  address1,
  address2,
  city,
  state,
  country,
  zip,
});
/** @param {any} order @param {readonly string[]} ids */
function checkItems(order, ids) {
  const own = order.items.map((/** @type {any} */ item) => item.item_id);
  const count = (/** @type {readonly string[]} */ list, /** @type {string} */ id) =>
    list.filter((one) => one === id).length;
  if (ids.some((id) => count(ids, id) > count(own, id))) throw new Error('Some item not found');
}
/** @param {any} order @param {string} status */
function checkStatus(order, status) {
  if (order.status !== status) throw new Error(`The order is not ${status}`);
}
/** What new items cost more than the old ones. @param {any} order @param {any} args */
function difference(order, { item_ids: ids, new_item_ids: news, payment_method_id: payment }) {
  checkItems(order, ids);
  if (ids.length !== news.length) throw new Error('The number of items should match');
  const pairs = ids.map((/** @type {string} */ id, /** @type {number} */ at) => {
    const item = order.items.find((/** @type {any} */ one) => one.item_id === id);
    const variant = found(db.products[item.product_id].variants[news[at]], 'Variant');
    if (!variant.available) throw new Error('New item not available');
    return { item, variant };
  });
  const diff = cents(
    pairs.reduce(
      (/** @type {number} */ sum, /** @type {any} */ { item, variant }) => sum + variant.price - item.price,
      0,
    ),
  );
  const method = paymentOf(order, payment);
  if (isGift(method) && method.balance < diff) throw new Error('Insufficient gift card balance');
  return { pairs, diff, method };
}

/** @type {Record<string, (args: any) => unknown>} */
const run = {
  calculate: ({ expression }) => {
    if (!/^[0-9+\-*/(). ]+$/.test(expression)) throw new Error('Invalid characters in expression');
    return String(cents(Number(new Function(`return (${expression});`)())));
  },
  cancel_pending_order: ({ order_id: id, reason }) => {
    const order = orderOf(id);
    checkStatus(order, 'pending');
    if (!['no longer needed', 'ordered by mistake'].includes(reason)) throw new Error('Invalid reason');
    const refunds = order.payment_history.map((/** @type {any} */ { amount, payment_method_id: method }) => {
      const paid = paymentOf(order, method);
      if (isGift(paid)) paid.balance = cents(paid.balance + amount);
      return { transaction_type: 'refund', amount, payment_method_id: method };
    });
    order.payment_history.push(...refunds);
    return Object.assign(order, { status: 'cancelled', cancel_reason: reason });
  },
  exchange_delivered_order_items: (args) => {
    const order = orderOf(args.order_id);
    checkStatus(order, 'delivered');
    const { diff } = difference(order, args);
    return Object.assign(order, {
      status: 'exchange requested',
      exchange_items: args.item_ids.toSorted(),
      exchange_new_items: args.new_item_ids.toSorted(),
      exchange_payment_method_id: args.payment_method_id,
      exchange_price_difference: diff,
    });
  },
  find_user_id_by_name_zip: ({ first_name: first, last_name: last, zip }) =>
    idOfUser(
      ({ name, address }) =>
        same(name.first_name, first) && same(name.last_name, last) && address.zip === zip,
    ),
  find_user_id_by_email: ({ email }) => idOfUser((user) => same(user.email, email)),
  get_order_details: ({ order_id: id }) => orderOf(id),
  get_product_details: ({ product_id: id }) => found(db.products[id], 'Product'),
  get_item_details: ({ item_id: id }) =>
    found(
      Object.values(db.products)
        .map((product) => product.variants[id])
        .find(Boolean),
      'Item',
    ),
  get_user_details: ({ user_id: id }) => userOf(id),
  list_all_product_types: () =>
    Object.fromEntries(
      Object.values(db.products)
        .map(({ name, product_id: id }) => [name, id])
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ),
  modify_pending_order_address: (args) => {
    const order = orderOf(args.order_id);
    if (!order.status.includes('pending')) throw new Error('Non-pending order cannot be modified');
    return Object.assign(order, { address: addressOf(args) });
  },
  modify_pending_order_items: (args) => {
    const order = orderOf(args.order_id);
    checkStatus(order, 'pending');
    const { pairs, diff, method } = difference(order, args);
    order.payment_history.push({
      transaction_type: diff > 0 ? 'payment' : 'refund',
      amount: Math.abs(diff),
      payment_method_id: args.payment_method_id,
    });
    if (isGift(method)) method.balance = cents(method.balance - diff);
    for (const { item, variant } of pairs)
      Object.assign(item, { item_id: variant.item_id, price: variant.price, options: variant.options });
    return Object.assign(order, { status: 'pending (item modified)' });
  },
  modify_pending_order_payment: ({ order_id: id, payment_method_id: next }) => {
    const order = orderOf(id);
    if (!order.status.includes('pending')) throw new Error('Non-pending order cannot be modified');
    const method = paymentOf(order, next);
    const [{ amount, payment_method_id: before }] = order.payment_history;
    if (before === next) throw new Error('The payment method should be different');
    if (isGift(method) && method.balance < amount) throw new Error('Insufficient gift card balance');
    order.payment_history.push(
      { transaction_type: 'payment', amount, payment_method_id: next },
      { transaction_type: 'refund', amount, payment_method_id: before },
    );
    const paid = paymentOf(order, before);
    if (isGift(method)) method.balance = cents(method.balance - amount);
    if (isGift(paid)) paid.balance = cents(paid.balance + amount);
    return order;
  },
  modify_user_address: (args) => Object.assign(userOf(args.user_id), { address: addressOf(args) }),
  return_delivered_order_items: ({ order_id: id, item_ids: items, payment_method_id: payment }) => {
    const order = orderOf(id);
    checkStatus(order, 'delivered');
    const method = paymentOf(order, payment);
    if (!isGift(method) && payment !== order.payment_history[0].payment_method_id)
      throw new Error('Payment method should be the original payment method');
    checkItems(order, items);
    return Object.assign(order, {
      status: 'return requested',
      return_items: items.toSorted(),
      return_payment_method_id: payment,
    });
  },
  transfer_to_human_agents: () => 'Transfer successful',
  reset: () => {
    db = JSON.parse(data);
    return 'reset';
  },
  export_state: () => createHash('sha256').update(JSON.stringify(db)).digest('hex'),
};

const own = ['reset', 'export_state'].map((name) => ({
  name,
  description: 'For the bench.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: name !== 'reset' },
}));
const server = new Server({ name: 'retail', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...declared(), ...own] }));
server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args = {} } }) => {
  try {
    const value = found(run[name], 'Tool')(args);
    const content = typeof value === 'string' ? value : JSON.stringify(value);
    return { content: [{ type: 'text', text: content }] };
  } catch (error) {
    return {
      isError: true,
      content: [{ type: 'text', text: `Error: ${/** @type {Error} */ (error).message}` }],
    };
  }
});
await server.connect(new StdioServerTransport());
