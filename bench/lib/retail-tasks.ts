import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { createChildLinePort } from '../../src/main/adapters/mcp/child-line-port';
import { createTools } from '../../src/main/adapters/mcp/create-tools';
import { parseRegistry } from '../../src/main/adapters/mcp/registry';
import { appError } from '../../src/shared/app-error';
import type { JsonObject } from '../../src/shared/json';
import { JsonObject as AnyArguments } from '../../src/shared/json';
import { err } from '../../src/shared/result';
import { inWaves, type BenchServers, type RecordedCall } from './agent-servers';
import type { StagedTask } from './staged-tasks';

/** The public retail tasks, if they are stored beside the project, or in the folder that the variable names. */
export const retailFolder = (): string | null => {
  const folder = path.resolve(process.env['PATINA_BENCH_DATA'] ?? '../shared/public', 'tau2-retail');
  return existsSync(path.join(folder, 'tasks.json')) ? folder : null;
};

const Tasks = z.array(
  z.object({
    id: z.string(),
    user_scenario: z.object({
      instructions: z.object({
        task_instructions: z.string(),
        reason_for_call: z.string(),
        known_info: z.string().nullable(),
      }),
    }),
    evaluation_criteria: z.object({
      actions: z.array(z.object({ name: z.string(), arguments: AnyArguments })),
    }),
  }),
);
type PublicTask = z.infer<typeof Tasks>[number];
type Action = PublicTask['evaluation_criteria']['actions'][number];

/** A public task that can be solved in two stages from what it says, with the calls of its reference. */
export interface RetailTask extends StagedTask {
  readonly id: string;
  readonly reference: readonly { readonly uri: string; readonly args: JsonObject }[];
}

const isWrite = ({ name }: Action): boolean => /^(?:cancel|exchange|modify|return)_/.test(name);
const textIn = (args: JsonObject, name: string): string => {
  const value = args[name];
  return typeof value === 'string' ? value : '';
};
const js = (value: unknown): string => JSON.stringify(value);

/** Everything that a call needs and the model does not know from the goal. */
const valuesOf = (args: JsonObject): readonly string[] =>
  Object.values(args)
    .flat()
    .filter((value) => typeof value === 'string');

/** What a model writes to look up data: the customer, all their orders, and the variants of the products in question. */
function lookCode(find: Action, products: readonly string[]): string {
  const variants =
    products.length === 0
      ? ''
      : `
const types = await tools.retail.list_all_product_types({});
const variants = {};
for (const name of ${js(products)}) {
  const product = await tools.retail.get_product_details({ product_id: types[name] });
  variants[name] = Object.values(product.variants).filter((v) => v.available).map(({ item_id, options, price }) => ({ item_id, options, price }));
}`;
  return `const user = await tools.retail.get_user_details({ user_id: await tools.retail.${find.name}(${js(find.arguments)}) });
const orders = await Promise.all(user.orders.map((order_id) => tools.retail.get_order_details({ order_id })));${variants}
return { summary: 'read', state: { user: user.user_id, address: user.address, payment_methods: user.payment_methods,
  orders: orders.map(({ order_id, status, address, items, payment_history }) => ({ order_id, status, address, paid: payment_history[0].payment_method_id,
    items: items.map(({ name, item_id, price, options }) => ({ name, item_id, price, options })) }))${products.length === 0 ? '' : ', variants'} } };`;
}

const decideCode = (writes: readonly Action[]): string =>
  `${writes.map(({ name, arguments: args }) => `await tools.retail.${name}(${js(args)});`).join('\n')}
return { summary: 'done', state: {} };`;

function taskOf(
  { id, user_scenario: { instructions }, evaluation_criteria: { actions } }: PublicTask,
  productNames: ReadonlyMap<string, string>,
): readonly RetailTask[] {
  const find = actions.findLast(({ name }) => name.startsWith('find_user_id'));
  const writes = actions.filter(isWrite);
  const looks = actions.some(({ name }) => name === 'get_order_details');
  if (!find || writes.length === 0 || !looks) return [];
  const products = actions.flatMap(
    ({ arguments: args }) => productNames.get(textIn(args, 'product_id')) ?? [],
  );
  const goal = [instructions.reason_for_call, instructions.known_info, instructions.task_instructions]
    .filter(Boolean)
    .join(' ');
  return [
    {
      id,
      goal,
      look: lookCode(find, [...new Set(products)]),
      decide: () => ({
        code: decideCode(writes),
        answer: `Done: ${writes.map(({ name, arguments: args }) => `${name.replaceAll('_', ' ')} ${textIn(args, 'order_id') || textIn(args, 'user_id')}`).join('; ')}.`,
      }),
      needs: writes
        .flatMap(({ arguments: args }) => valuesOf(args))
        .filter((value) => /^[#\w-]+$/.test(value) && !goal.includes(value)),
      reference: actions.map(({ name, arguments: args }) => ({ uri: `mcp://retail.${name}`, args })),
    },
  ];
}

/** The public tasks whose reference looks at orders and then writes. */
export function retailTasks(folder: string): readonly RetailTask[] {
  const Products = z.object({ products: z.record(z.string(), z.object({ name: z.string() })) });
  const { products } = Products.parse(JSON.parse(readFileSync(path.join(folder, 'db.json'), 'utf8')));
  const names = new Map(Object.entries(products).map(([id, { name }]) => [id, name] as const));
  const tasks = Tasks.parse(JSON.parse(readFileSync(path.join(folder, 'tasks.json'), 'utf8')));
  return tasks.flatMap((task) => taskOf(task, names));
}

/**
 * The reference's calls as turns of a model that makes every call as soon as it knows its arguments: those that the
 * goal or an earlier result has. Writes come in order, after everything that is read.
 */
export function wavesOf(
  { goal }: Pick<RetailTask, 'goal'>,
  calls: readonly RecordedCall[],
): readonly (readonly RecordedCall[])[] {
  const waves: RecordedCall[][] = [];
  let known = goal;
  let left = [...calls];
  while (left.length > 0) {
    const isRead = ({ uri }: RecordedCall) => !/\.(?:cancel|exchange|modify|return)_/.test(uri);
    const isKnown = ({ args }: RecordedCall) => valuesOf(args).every((value) => known.includes(value));
    const reads = left.filter((call) => isRead(call) && isKnown(call));
    const wave = reads.length > 0 ? reads : left.some(isRead) ? left.filter(isRead) : left;
    waves.push(wave);
    left = left.filter((call) => !wave.includes(call));
    known += JSON.stringify(wave);
  }
  return waves;
}

/** The retail tools over stdio; `reset` restores the initial data. */
export async function startRetail(
  folder: string,
): Promise<BenchServers & { readonly reset: () => Promise<void> }> {
  const args = [path.resolve('bench/lib/retail-server.mjs'), folder];
  const row = { command: process.execPath, args, trusted: true };
  const real = createTools({
    registry: () => parseRegistry(JSON.stringify({ mcpServers: { retail: row } }), 'registry.json'),
    project: folder,
    startChild: createChildLinePort,
    env: {},
    startBundledServer: () => {
      throw new Error('no server of the app is part of this');
    },
    secret: () => err(appError('HOST', 'NOT_FOUND', 'no secrets here')),
  });
  const listed = await real.list();
  if (!listed.ok || listed.value.length === 0) throw new Error(JSON.stringify([listed, real.servers()]));
  const never = new AbortController().signal;
  return {
    ...inWaves(real),
    definitions: listed.value.filter(({ tool }) => tool !== 'reset' && tool !== 'export_state'),
    state: async () => JSON.stringify(await real.call('mcp://retail.export_state', {}, never)),
    reset: async () => void (await real.call('mcp://retail.reset', {}, never)),
  };
}
