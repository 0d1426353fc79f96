/** A goal, the script a planner writes for it, and the answer's template. The calls are what the script makes. */
export interface AgentTask {
  readonly goal: string;
  readonly code: string;
  readonly answer: string;
}

const refundAll = (status: string, reason: string): AgentTask => ({
  goal: `Refund every ${status} order in full with the reason "${reason}", and tell me how much that is.`,
  code: `const { orders } = await tools.shop.list_orders({ status: '${status}' });
await Promise.all(orders.map((o) => tools.shop.create_refund({ order: o.id, amount: o.total, reason: '${reason}' })));
return { summary: 'refunded', state: { count: orders.length, sum: orders.reduce((n, o) => n + o.total, 0) } };`,
  answer: 'Refunded {{work.count}} orders, {{work.sum}} in all.',
});

const tagAll = (status: string, tag: string, above: number): AgentTask => ({
  goal: `Tag the ${status} orders above ${above} as ${tag} and list them.`,
  code: `const { orders } = await tools.shop.list_orders({ status: '${status}' });
const big = orders.filter((o) => o.total > ${above});
await Promise.all(big.map((o) => tools.shop.tag_order({ id: o.id, tag: '${tag}' })));
return { summary: 'tagged', state: { ids: big.map((o) => o.id) } };`,
  answer: 'Tagged {{work.ids}}.',
});

const restock = (below: number, to: number): AgentTask => ({
  goal: `Set the stock of every product with fewer than ${below} left to ${to}.`,
  code: `const { products } = await tools.shop.list_products({});
const low = products.filter((p) => p.stock < ${below}).slice(0, 11);
await Promise.all(low.map((p) => tools.shop.update_stock({ id: p.id, stock: ${to} })));
return { summary: 'restocked', state: { count: low.length } };`,
  answer: '{{work.count}} products have a stock of ' + `${to} now.`,
});

const topCustomers = (status: string, most: number): AgentTask => ({
  goal: `Which ${most} customers spent most on ${status} orders? Give names, cities and totals.`,
  code: `const { orders } = await tools.shop.list_orders({ status: '${status}' });
const sums = {};
for (const o of orders) sums[o.customer] = (sums[o.customer] ?? 0) + o.total;
const top = Object.entries(sums).sort((a, b) => b[1] - a[1]).slice(0, ${most});
const rows = await Promise.all(top.map(async ([id, total]) => { const { name, city } = await tools.shop.get_customer({ id }); return { name, city, total }; }));
return { summary: 'ranked', state: { rows } };`,
  answer: '{{work.rows}}',
});

const orderAtPrices = (ids: readonly string[]): AgentTask => ({
  goal: `What would the orders ${ids.join(', ')} cost at today's product prices?`,
  code: `const orders = await Promise.all(${JSON.stringify(ids)}.map((id) => tools.shop.get_order({ id })));
const ids = [...new Set(orders.flatMap((o) => o.items.map((i) => i.product)))];
const prices = Object.fromEntries(await Promise.all(ids.map(async (id) => [id, (await tools.shop.get_product({ id })).price])));
return { summary: 'priced', state: { rows: orders.map((o) => ({ order: o.id, cost: o.items.reduce((n, i) => n + i.count * prices[i.product], 0) })) } };`,
  answer: '{{work.rows}}',
});

const readDocs = `const root = params.root;
const list = await tools.filesystem.list_directory({ path: root + '/docs' });
const names = (list.content ?? list).split('\\n').filter((l) => l.startsWith('[FILE]')).map((l) => l.slice(7));
const texts = await Promise.all(names.map(async (name) => { const t = await tools.filesystem.read_text_file({ path: root + '/docs/' + name }); return [name, t.content ?? t]; }));
`;

const mentions = (word: string): AgentTask => ({
  goal: `Which files in docs mention "${word}", and how often each?`,
  code: `${readDocs}const rows = texts.map(([file, t]) => ({ file, count: t.split('${word}').length - 1 })).filter((r) => r.count > 0);
return { summary: 'counted', state: { rows } };`,
  answer: '{{work.rows}}',
});

const wordReport = (file: string, what: string, count: string): AgentTask => ({
  goal: `Count the ${what} of each file in docs and write the table to ${file}.`,
  code: `${readDocs}const rows = texts.map(([name, t]) => name + ': ' + ${count});
await tools.filesystem.write_file({ path: root + '/${file}', content: rows.join('\\n') });
return { summary: 'written', state: { rows: rows.length } };`,
  answer: `{{work.rows}} lines are in ${file}.`,
});

const stockReport = (file: string, below: number): AgentTask => ({
  goal: `Write ${file} with name and stock of every product under ${below}, and tell me what was in the folder before.`,
  code: `const [{ products }, before] = await Promise.all([tools.shop.list_products({}), tools.filesystem.list_directory({ path: params.root + '/reports' })]);
const low = products.filter((p) => p.stock < ${below});
await tools.filesystem.write_file({ path: params.root + '/${file}', content: low.map((p) => p.name + ' ' + p.stock).join('\\n') });
return { summary: 'written', state: { count: low.length, before: (before.content ?? before).slice(0, 200) } };`,
  answer: `{{work.count}} products are in ${file}; before there was: {{work.before}}`,
});

const rememberCustomers = (status: string, note: string): AgentTask => ({
  goal: `Remember each customer of a ${status} order as a person with the note "${note}".`,
  code: `const { orders } = await tools.shop.list_orders({ status: '${status}' });
const ids = [...new Set(orders.map((o) => o.customer))];
const people = await Promise.all(ids.map((id) => tools.shop.get_customer({ id })));
await tools.memory.create_entities({ entities: people.map((p) => ({ name: p.name, entityType: 'person', observations: ['${note}'] })) });
return { summary: 'kept', state: { names: people.map((p) => p.name) } };`,
  answer: 'Remembered: {{work.names}}.',
});

const rememberDocs = (word: string): AgentTask => ({
  goal: `Remember every file in docs that mentions "${word}" as a document with its first line.`,
  code: `${readDocs}const found = texts.filter(([, t]) => t.includes('${word}'));
await tools.memory.create_entities({ entities: found.map(([name, t]) => ({ name, entityType: 'document', observations: [t.split('\\n')[0]] })) });
return { summary: 'kept', state: { names: found.map(([name]) => name) } };`,
  answer: 'Remembered {{work.names}}.',
});

const refundReport = (status: string, file: string): AgentTask => ({
  goal: `Put all ${status} orders with their customers' names and e-mail addresses into ${file}.`,
  code: `const { orders } = await tools.shop.list_orders({ status: '${status}' });
const ids = [...new Set(orders.map((o) => o.customer))];
const people = Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await tools.shop.get_customer({ id })])));
const rows = orders.map((o) => [o.id, o.total, people[o.customer].name, people[o.customer].email].join(','));
await tools.filesystem.write_file({ path: params.root + '/${file}', content: rows.join('\\n') });
return { summary: 'written', state: { rows: rows.length } };`,
  answer: `{{work.rows}} orders are in ${file}.`,
});

const soldOut = (status: string): AgentTask => ({
  goal: `Which ${status} orders need more of a product than there is in stock? Tag them as short.`,
  code: `const [{ orders }, { products }] = await Promise.all([tools.shop.list_orders({ status: '${status}' }), tools.shop.list_products({})]);
const stock = Object.fromEntries(products.map((p) => [p.id, p.stock]));
const short = orders.filter((o) => o.items.some((i) => i.count > stock[i.product]));
await Promise.all([...short, orders[0]].map((o) => tools.shop.tag_order({ id: o.id, tag: short.includes(o) ? 'short' : 'checked' })));
return { summary: 'tagged', state: { ids: short.map((o) => o.id) } };`,
  answer: 'Short: {{work.ids}}.',
});

/** Twelve kinds of tasks, each twice. */
export const agentTasks: readonly AgentTask[] = [
  ...[refundAll('late', 'late delivery'), refundAll('sent', 'damaged box')],
  ...[tagAll('open', 'vip', 300), tagAll('paid', 'loyal', 870)],
  ...[restock(3, 20), restock(4, 30)],
  ...[topCustomers('paid', 3), topCustomers('late', 2)],
  ...[orderAtPrices(['O-1003', 'O-1007', 'O-1011']), orderAtPrices(['O-1001', 'O-1002'])],
  ...[mentions('refund'), mentions('carrier')],
  ...[
    wordReport('reports/words.md', 'words', "t.split(' ').length"),
    wordReport('reports/lines.md', 'lines', "t.split('\\n').length"),
  ],
  ...[stockReport('reports/low.md', 5), stockReport('reports/few.md', 15)],
  ...[rememberCustomers('late', 'had a late order'), rememberCustomers('open', 'waits for an order')],
  ...[rememberDocs('warehouse'), rememberDocs('voucher')],
  ...[refundReport('late', 'reports/late.csv'), refundReport('open', 'reports/open.csv')],
  ...[soldOut('open'), soldOut('late')],
];
