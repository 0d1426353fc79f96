/** A goal that cannot be planned without a look: what the model reads first, and what it does afterwards. */
export interface StagedTask {
  readonly goal: string;
  /** The script of the first stage; the model sees its state. */
  readonly look: string;
  /** What it writes after the look: a script with the values that it chose, and the answer. */
  readonly decide: (seen: never) => { readonly code: string; readonly answer: string };
  /** Values that the second script has and the model must have seen; where they are missing, it reads on. */
  readonly needs?: readonly string[];
}

const js = (value: unknown): string => JSON.stringify(value);

interface OrderRow {
  readonly id: string;
  readonly total: number;
  readonly pieces: number;
}

const unusualOrders = (status: string): StagedTask => ({
  goal: `Look at the ${status} orders and tag those with "check" whose total does not fit what was ordered.`,
  look: `const { orders } = await tools.shop.list_orders({ status: '${status}' });
return { summary: 'read', state: { rows: orders.map(({ id, total, items }) => ({ id, total, pieces: items.reduce((n, i) => n + i.count, 0) })) } };`,
  decide: ({ rows }: { readonly rows: readonly OrderRow[] }) => {
    const odd = rows
      .toSorted((a, b) => b.total / b.pieces - a.total / a.pieces)
      .slice(0, 3)
      .map(({ id }) => id);
    return {
      code: `await Promise.all(${js(odd)}.map((id) => tools.shop.tag_order({ id, tag: 'check' })));
return { summary: 'tagged' };`,
      answer: `Tagged ${odd.join(', ')}: the highest price for each piece.`,
    };
  },
});

interface ProductRow {
  readonly id: string;
  readonly name: string;
  readonly stock: number;
}

const restockKind = (kind: string, below: number): StagedTask => ({
  goal: `Which products under ${below} are worth restocking? We sell mostly ${kind}s; set those to 40.`,
  look: `const { products } = await tools.shop.list_products({});
return { summary: 'read', state: { rows: products.filter((p) => p.stock < ${below}).map(({ id, name, stock }) => ({ id, name, stock })) } };`,
  decide: ({ rows }: { readonly rows: readonly ProductRow[] }) => {
    const chosen = rows.filter(({ name }) => name.includes(kind)).map(({ id }) => id);
    return {
      code: `await Promise.all(${js(chosen)}.map((id) => tools.shop.update_stock({ id, stock: 40 })));
return { summary: 'restocked' };`,
      answer: `${chosen.length} ${kind}s have a stock of 40 now.`,
    };
  },
});

interface CustomerRow {
  readonly order: string;
  readonly total: number;
  readonly since: number;
}

const refundLoyal = (status: string, most: number): StagedTask => ({
  goal: `Who of the customers with ${status} orders has been with us longest? Refund those orders, ${most} at most.`,
  look: `const { orders } = await tools.shop.list_orders({ status: '${status}' });
const rows = await Promise.all(orders.map(async ({ id, total, customer }) => ({ order: id, total, since: (await tools.shop.get_customer({ id: customer })).since })));
return { summary: 'read', state: { rows } };`,
  decide: ({ rows }: { readonly rows: readonly CustomerRow[] }) => {
    const chosen = rows.toSorted((a, b) => a.since - b.since).slice(0, most);
    return {
      code: `for (const { order, total } of ${js(chosen.map(({ order, total }) => ({ order, total })))})
  await tools.shop.create_refund({ order, amount: total, reason: 'loyal customer' });
return { summary: 'refunded' };`,
      answer: `Refunded ${chosen.map(({ order }) => order).join(', ')}.`,
    };
  },
});

interface DocRow {
  readonly name: string;
  readonly words: number;
}

const longestDoc = (word: string, file: string): StagedTask => ({
  goal: `Find the document in docs that says most about "${word}" and put the sentences with it into ${file}.`,
  look: `const list = await tools.filesystem.list_directory({ path: './docs' });
const names = (list.content ?? list).split('\\n').filter((l) => l.startsWith('[FILE]')).map((l) => l.slice(7));
const rows = await Promise.all(names.map(async (name) => { const t = await tools.filesystem.read_text_file({ path: './docs/' + name }); return { name, words: (t.content ?? t).split('${word}').length - 1 }; }));
return { summary: 'read', state: { rows } };`,
  decide: ({ rows }: { readonly rows: readonly DocRow[] }) => {
    const [most] = rows.toSorted((a, b) => b.words - a.words);
    return {
      code: `const t = await tools.filesystem.read_text_file({ path: './docs/${most?.name ?? ''}' });
const lines = (t.content ?? t).split('\\n').filter((line) => line.includes('${word}')).slice(0, 20);
await tools.filesystem.write_file({ path: './${file}', content: lines.join('\\n') });
return { summary: 'written', state: { lines: lines.length } };`,
      answer: `${most?.name ?? ''} says most about it; its sentences are in ${file}.`,
    };
  },
});

/** Four kinds of tasks that need a look, each twice. */
export const stagedTasks: readonly StagedTask[] = [
  ...[unusualOrders('late'), unusualOrders('open')],
  ...[restockKind('lamp', 4), restockKind('chair', 6)],
  ...[refundLoyal('late', 2), refundLoyal('open', 3)],
  ...[longestDoc('voucher', 'reports/voucher.md'), longestDoc('parcel', 'reports/parcel.md')],
];
