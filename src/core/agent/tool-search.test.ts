import { describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../ports/tool-definition';
import { createToolSearch, searchWords, stepsOf } from './tool-search';

const toolOf = (
  server: string,
  tool: string,
  description = '',
  args: readonly string[] = [],
): ToolDefinition => ({
  ...{ uri: `mcp://${server}.${tool}`, server, tool, serverVersion: '1', readOnly: true, description },
  inputSchema: { type: 'object', properties: Object.fromEntries(args.map((name) => [name, {}])) },
});

describe('[PLN-search] the words of a text', () => {
  it.each<[string, readonly string[]]>([
    ['listAllOpenOrders', ['list', 'open', 'order']],
    ['read_text-file2', ['read', 'text', 'file2']],
    ['The orders of my customers', ['order', 'customer']],
    ['Größe über 3', ['größ', 'über', '3']],
    ['creating created creates create', ['creat', 'creat', 'creat', 'creat']],
    ['queries query', ['query', 'query']],
    ['ring rings king', ['ring', 'ring', 'king']],
    ['pass class glass', ['pass', 'class', 'glass']],
    ['bed seed tree', ['bed', 'seed', 'tree']],
    ['ties gas', ['tie', 'gas']],
    ['', []],
    ['...', []],
  ])('%j: %j', (text, words) => {
    expect(searchWords(text)).toEqual(words);
  });
});

describe('[PLN-search] the tools found for words', () => {
  const search = createToolSearch([
    toolOf('shop', 'get_order', 'Returns one thing.', ['id']),
    toolOf('shop', 'cancel', 'Cancels an order of the shop.', ['reason']),
    toolOf('mail', 'send', 'Sends a letter.', ['recipient', 'subject']),
    toolOf('mail', 'archive', 'Moves a letter, a letter and a letter to the archive.'),
    { ...toolOf('bare', 'noop'), inputSchema: {} },
  ]);

  it.each<[string, number, readonly string[]]>([
    ['orders', 9, ['mcp://shop.get_order', 'mcp://shop.cancel']],
    ['orders', 1, ['mcp://shop.get_order']],
    ['cancel an order', 9, ['mcp://shop.cancel', 'mcp://shop.get_order']],
    ['to the recipients', 9, ['mcp://mail.send']],
    ['letter', 9, ['mcp://mail.archive', 'mcp://mail.send']],
    ['mail', 9, ['mcp://mail.send', 'mcp://mail.archive']],
    ['noop', 9, ['mcp://bare.noop']],
    ['weather', 9, []],
    ['the of', 9, []],
    ['', 9, []],
  ])('%j, at most %d: %j', (query, limit, uris) => {
    expect(search.find(query, limit)).toEqual(uris);
  });

  it('are in the order of their names where they fit alike, whatever the order of the list', () => {
    const alike = ['b', 'c', 'a'].map((name) => toolOf('box', name, 'Opens a box.'));
    expect(createToolSearch(alike).find('box', 9)).toEqual(['mcp://box.a', 'mcp://box.b', 'mcp://box.c']);
  });

  it('prefer a rare word to a frequent one, and a short text to a long one', () => {
    const find = (query: string, ...texts: readonly string[]) =>
      createToolSearch(texts.map((text, at) => toolOf('s', `t${at}`, text))).find(query, 9)[0];
    expect(find('file invoice', 'file', 'file', 'file', 'invoice')).toBe('mcp://s.t3');
    expect(find('file', `file ${'other words here '.repeat(5)}`, 'file')).toBe('mcp://s.t1');
    expect(find('file', 'file', 'file file')).toBe('mcp://s.t1');
    expect(find('late', `${'x'.repeat(500)} late`, 'word')).toBeUndefined();
  });

  it('are none where there are no tools', () => {
    expect(createToolSearch([]).find('order', 9)).toEqual([]);
  });
});

describe('[PLN-search] the likely steps of a goal', () => {
  it.each<[string, readonly string[]]>([
    ['List the orders and cancel the first', ['List the orders', 'cancel the first']],
    ['Read a.md, then b; count!', ['Read a', 'md', 'b', 'count']],
    ['Lies die Dateien und zähle sie, dann schreibe', ['Lies die Dateien', 'zähle sie', 'schreibe']],
    ['Sandwich: brand\nafterwards', ['Sandwich', 'brand', 'afterwards']],
    ['Do it, and then', []],
    ['Finally count BEFORE you send while it also rains but after', ['count', 'you send', 'rains']],
    ['', []],
  ])('%j: %j', (goal, steps) => {
    expect(stepsOf(goal)).toEqual(steps);
  });

  it('are those of its first 4,000 characters', () => {
    expect(stepsOf(`${'x'.repeat(4_000)}. count`)).toHaveLength(1);
  });
});
