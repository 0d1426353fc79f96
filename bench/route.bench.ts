import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { CommandDefinition } from '../src/shared/command';
import { sourceId, type ResolverItem, type SourceDefinition } from '../src/shared/resolver';
import { buildItemIndex, type ItemIndex } from '../src/core/control-plane/item-index';
import { route } from '../src/core/control-plane/route';
import type { RouteContext } from '../src/core/control-plane/route-context';
import { compileRoutingTable } from '../src/core/control-plane/routing-table';
import { median, report } from './lib/report';

const kinds = ['template', 'persona', 'campaign', 'contact', 'ticket'];
const adjectives =
  'quick calm bright early northern silent global modern public private annual weekly upper lower outer'.split(
    ' ',
  );
const subjects =
  'outreach review pilot renewal welcome launch survey digest invoice reminder audit roadmap release summit'.split(
    ' ',
  );

/** A number that depends only on its position. */
const spread = (at: number, below: number): number => (((at + 1) * 48_271) % 2_147_483_647) % below;

/** Letters that make a word of its own, so that near misses have something to be looked for in. */
const ownWord = (at: number): string =>
  Array.from({ length: 6 }, (_, place) =>
    String.fromCharCode(97 + (Math.floor(spread(at, 308_915_776) / 26 ** place) % 26)),
  ).join('');

function itemAt(kind: string, at: number): ResolverItem {
  const name = [adjectives, subjects]
    .map((list, salt) => list[spread(at + 7 * salt, list.length)] ?? '')
    .join(' ');
  return {
    header: {
      id: `${kind.slice(0, 3).toUpperCase()}-${at}`,
      displayName: `${name} ${ownWord(at)} ${at % 97}`,
    },
    aliases: [`${ownWord(at + 1)} ${kind}`],
    keywords: [ownWord(at + 2), subjects[spread(at, subjects.length)] ?? ''],
  };
}

const definitionOf = (kind: string): SourceDefinition => ({
  id: `${kind}s`,
  displayName: `${kind}s`,
  nouns: { one: [kind], many: [`${kind}s`] },
  vocabulary: kind === 'ticket' ? 'open' : 'curated',
});

const row = (fields: Record<string, unknown>): CommandDefinition =>
  CommandDefinition.parse({
    displayName: fields['commandId'],
    toolName: 'tool',
    singleParameterName: 'id',
    ...fields,
  });

/** Two commands for each kind: ten in all. */
const commands = kinds.flatMap((kind) => {
  const resolverSource = { catalogId: `${kind}s` };
  const take = [
    '{focus} [the|my|our] {item} {noun}',
    '{focus} [the] {noun} {item}',
    '{focus} [the] {item}',
    '{noun}: {item}',
  ];
  return [
    row({ commandId: `Take_${kind}`, resolverSource, intentPatterns: take, slash: kind }),
    row({
      commandId: `Open_${kind}`,
      resolverSource,
      commandKind: 'launcher',
      intentPatterns: ['{show} [{every}] {nouns}'],
    }),
  ];
});

/** Lines of every kind: exact, prefix, keyword, near miss, nothing, and ordinary talk. */
function linesOver(items: readonly ResolverItem[]): readonly string[] {
  return Array.from({ length: 400 }, (_, at): readonly string[] => {
    const { header, keywords } = items[spread(at, items.length)] ?? itemAt('template', at);
    const name = header.displayName;
    const kind = kinds.find((one) => header.id.startsWith(one.slice(0, 3).toUpperCase())) ?? '';
    return [
      `work on ${header.id}`,
      `please switch to the ${name} ${kind}`,
      `open the ${name.slice(0, -6)} ${kind}`,
      `use the ${keywords[0] ?? ''} ${keywords[1] ?? ''} ${kind}`,
      `use the ${(keywords[0] ?? '').slice(0, -1)} ${kind}`,
      `open the review ${kind}`,
      `use the nothing like that ${kind}`,
      `/${kind} ${name.slice(0, 7)}`,
      'why does the build fail on the second run, and how do I find out?',
      'work on the login page',
    ];
  }).flat();
}

interface Measured {
  readonly p50: number;
  readonly p99: number;
}

function measure(context: RouteContext, lines: readonly string[]): Measured {
  for (const line of lines.slice(0, 500)) route(line, context);
  const times = lines.map((line) => {
    const started = performance.now();
    route(line, context);
    return performance.now() - started;
  });
  const sorted = times.sort((a, b) => a - b);
  return { p50: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
}

const definitions = new Map(kinds.map((kind) => [`${kind}s`, definitionOf(kind)]));

/** Nearly all items in one catalog: the most uneven distribution. */
async function contextOver(size: number) {
  const few = Math.ceil(size / 50);
  const slices: number[] = [];
  const lists = kinds.map((kind, at) => {
    const length = at === 0 ? size - (kinds.length - 1) * few : few;
    return Array.from({ length }, (_, position) => itemAt(kind, position));
  });
  const indexes = new Map<string, ItemIndex>();
  const started = performance.now();
  for (const [at, kind] of kinds.entries()) {
    let resumed = performance.now();
    const pause = async (): Promise<void> => {
      slices.push(performance.now() - resumed);
      await setImmediate();
      resumed = performance.now();
    };
    indexes.set(`${kind}s`, await buildItemIndex(lists[at] ?? [], definitionOf(kind), pause));
  }
  const built = performance.now() - started;
  const table = compileRoutingTable(commands, definitions);
  const context: RouteContext = {
    table,
    indexOf: (source) => indexes.get(sourceId(source)),
    withheld: new Set(),
    modeWithSlash: () => undefined,
    unavailable: [],
    mode: 'general',
    ui: true,
    focus: null,
    question: null,
    stale: () => false,
  };
  slices.sort((a, b) => a - b);
  return {
    context,
    items: lists.flat(),
    built,
    slice: slices[Math.floor(slices.length * 0.99)] ?? 0,
    index: indexes.get('templates'),
  };
}

let smallest: Measured | undefined;
for (const size of [100, 10_000, 100_000]) {
  const { context, items, built, slice, index } = await contextOver(size);
  const measured = measure(context, linesOver(items));
  smallest ??= measured;
  const of = `of ${size.toLocaleString('en')} items`;
  report({ name: `route p50 ${of}`, value: measured.p50, goal: 1, unit: 'ms' });
  report({ name: `route p99 ${of}`, value: measured.p99, goal: 5, unit: 'ms' });
  report({ name: `index ${of}, in slices`, value: built, goal: 3_000, unit: 'ms' });
  report({ name: `index ${of}, p99 slice`, value: slice, goal: 4, unit: 'ms' });
  if (size === 100) continue;
  const growth = size / 100;
  report({
    name: `route p50, growth over ${growth} times the items`,
    value: measured.p50,
    floor: smallest.p50,
    goal: growth / 10,
    unit: 'ms',
  });
  for (const text of ['r', 'review', 'tem 99']) {
    const started = performance.now();
    index?.search(text, 0, 100);
    const value = performance.now() - started;
    report({ name: `picker page ${of}, “${text}”`, value, goal: 100, unit: 'ms' });
  }
}
