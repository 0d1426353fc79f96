import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';
import { byServerAndName, declareTools, firstSentence } from './tool-signature';

const toolOf = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => {
  const [server = '', tool = ''] = name.split('.');
  return {
    ...{ uri: `mcp://${name}`, server, tool, serverVersion: '1', readOnly: true, description: '' },
    inputSchema: { type: 'object', properties: {} },
    ...more,
  };
};
const takes = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ type: 'object', properties },
  ...more,
});
const says = (description: string, more: JsonObject = {}) => ({ type: 'string', description, ...more });

describe('[PLN-lines] the first sentence of a description', () => {
  it.each([
    ['Reads a file. Then more.', 'Reads a file.'],
    ['Reads v1.2 of it! More', 'Reads v1.2 of it!'],
    ['Really? Yes.', 'Really?'],
    ['No end', 'No end'],
    ['  Two\n lines\t here.  ', 'Two lines here.'],
    ['Hid\u202eden\u200b.', 'Hid den .'],
    ['', ''],
  ])('%j: %j', (description, sentence) => {
    expect(firstSentence(description)).toBe(sentence);
  });

  it('is cut to 160 characters, or fewer', () => {
    expect(firstSentence('x'.repeat(160))).toBe('x'.repeat(160));
    expect(firstSentence('x'.repeat(161))).toBe(`${'x'.repeat(159)}…`);
    expect(firstSentence('abcdef', 4)).toBe('abc…');
  });
});

describe('[DCL-values] the argument texts on the line of a tool', () => {
  const textOf = (description: string) => {
    const { uri, ...rest } = toolOf('box.get', { inputSchema: takes({ kind: says(description) }) });
    return declareTools([{ uri, ...rest }])
      .line(uri)
      .split(' // kind: ')[1];
  };

  it.each([
    "Use 'fast' or so.",
    'Use "fast".',
    'Use `fast`.',
    'Use “fast”.',
    'Use «fast».',
    'Is one of these words.',
    'Either way.',
    'Allowed values follow.',
    'See the supported options.',
    'Options include many.',
    'Values are many.',
    'A date, YYYY first.',
    'Is open, paid or closed.',
    'Is open, paid, or closed.',
  ])('have a sentence that names values: %s', (sentence) => {
    expect(textOf(`The kind. ${sentence} And more.`)).toBe(sentence);
  });

  it.each([
    'The kind.',
    "It's the user's own.",
    "Don't and can't.",
    'Is open or closed.',
    `Use "${'x'.repeat(81)}".`,
    'Everyone of these.',
    'Neither of them.',
    '',
  ])('have no other sentence: %j', (description) => {
    expect(textOf(description)).toBeUndefined();
  });

  it('are cut to 300 characters', () => {
    expect(textOf(`Use "a" ${'x'.repeat(400)}.`)).toBe(`Use "a" ${'x'.repeat(291)}…`);
  });

  it('have those inside objects and lists, down to three levels, and none that the type lists', () => {
    const deep = takes({
      a: {
        ...says('Use "a".'),
        properties: {
          b: { items: { properties: { c: { ...says('Use "c".'), properties: { d: says('Use "d".') } } } } },
        },
      },
      e: says('Use "e".', { enum: ['e'] }),
      f: says('Use "f".', { const: 'f' }),
      g: { description: 'Use "g".', items: { enum: ['g'] } },
      h: { description: 3 },
      i: 'x',
    });
    const line = declareTools([toolOf('box.get', { inputSchema: deep })]).line('mcp://box.get');
    expect(line.slice(line.indexOf(' // '))).toBe(' // a: Use "a". a.b[].c: Use "c".');
  });

  it('stand once above the tools of a server, where two or more say the same and none says otherwise', () => {
    const listOf = (...texts: readonly string[]) =>
      declareTools(
        texts.map((text, at) => toolOf(`box.t${at}`, { inputSchema: takes({ kind: says(text) }) })),
      ).list();
    expect(listOf('Use "a".', 'Use "a".')).toEqual([
      'tools.box // arguments: kind: Use "a".',
      '.t0({ kind? }): json',
      '.t1({ kind? }): json',
    ]);
    expect(listOf('Use "a".', 'Use "b".')[0]).toBe('tools.box');
    expect(listOf('Use "a".')).toEqual(['tools.box', '.t0({ kind? }): json // kind: Use "a".']);
    expect(listOf('Kind.', 'Kind.')[0]).toBe('tools.box');
  });
});

describe('[PLN-declared] the declaration of a tool', () => {
  const long = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`argument_${at}`, says('')]));

  it('has the type of the result: declared, observed, or unknown', () => {
    const outputSchema = takes({ n: { type: 'number' } }, { required: ['n'] });
    const seen = (schema: JsonObject | undefined) => () => schema;
    const signature = (tool: ToolDefinition, schema?: JsonObject) =>
      declareTools([tool], seen(schema)).signature(tool.uri);
    expect(signature(toolOf('box.get', { outputSchema }), { type: 'null' })).toBe(
      'tools.box.get({}): { n# }',
    );
    expect(signature(toolOf('box.get'), outputSchema)).toBe('tools.box.get({}): { n# } /* json, observed */');
    expect(signature(toolOf('box.get'), { type: 'string' })).toBe('tools.box.get({}): string /* observed */');
    const bundled = toolOf('box.get', { bundled: 'box' });
    expect(signature(bundled, outputSchema)).toBe('tools.box.get({}): { n# } /* observed */');
    expect(signature(bundled)).toBe('tools.box.get({}): unknown');
    expect(signature(toolOf('box.get'))).toBe('tools.box.get({}): json');
  });

  it('has no type that is too long for a line, but shows it on demand', () => {
    const tool = toolOf('box.get', { inputSchema: takes(long), outputSchema: takes(long) });
    const declared = declareTools([tool]);
    expect(declared.line(tool.uri)).toBe(
      'tools.box.get(Record<string, unknown> /* too long to show */): unknown',
    );
    expect(declared.whole(tool.uri)).toContain('argument_199?');
  });

  it('has on demand the description and all texts of arguments, quoted and cut', () => {
    const inputSchema = takes({ a: says('Say "a".\nMore.'), b: says('x'.repeat(400)), c: says('') });
    const tool = toolOf('box.set-all', { readOnly: false, description: 'x'.repeat(700), inputSchema });
    expect(declareTools([tool]).whole(tool.uri).split('\n')).toEqual([
      'tools.box.set_all({ a?, b?, c? }): json [mcp://box.set-all] [writes]',
      `  "${'x'.repeat(599)}…"`,
      '  a: "Say \\"a\\". More."',
      `  b: "${'x'.repeat(299)}…"`,
    ]);
  });

  it('is empty for a tool that is not there', () => {
    const declared = declareTools([toolOf('box.get')]);
    expect([declared.signature('x'), declared.line('x'), declared.whole('x')]).toEqual(['', '', '']);
    expect(declared.types(['x'])).toEqual([]);
  });

  it('comes with the types that it names, and with the one of text', () => {
    const address = takes({ street_and_number: says(''), city_and_zip: says('') }, { title: 'Address' });
    const tools = [
      toolOf('a.one', { outputSchema: takes({ from: address, to: address }) }),
      toolOf('a.two', { outputSchema: takes({ at: address }) }),
      toolOf('a.three'),
    ];
    const declared = declareTools(tools);
    const type = 'type Address = { street_and_number?, city_and_zip? }';
    const json = 'type json = unknown // text; parsed if it is JSON';
    expect(declared.types(['mcp://a.two'])).toEqual([type]);
    expect(declared.types(['mcp://a.three'])).toEqual([json]);
    expect(declared.types(['mcp://a.one', 'mcp://a.three'])).toEqual([json, type]);
    expect(declareTools(tools, undefined, false).types(['mcp://a.one'])).toEqual([]);
    expect(declareTools(tools, undefined, false).signature('mcp://a.two')).toBe(
      'tools.a.two({}): { at?: { street_and_number?: string; city_and_zip?: string } }',
    );
  });

  it('does not name the arguments of a tool after their title', () => {
    const inputSchema = takes({ street_and_number: says(''), city_and_zip: says('') }, { title: 'Address' });
    const tools = ['a', 'b', 'c'].map((name) => toolOf(`box.${name}`, { inputSchema }));
    expect(declareTools(tools).signature('mcp://box.a')).toBe(
      'tools.box.a({ street_and_number?, city_and_zip? }): json',
    );
  });
});

it('[DCL-stable] tools are in the order of their servers, then of their names', () => {
  const names = ['b.a', 'a.c', 'a.b', 'b.A'].map((name) => toolOf(name));
  expect(names.toSorted(byServerAndName).map(({ uri }) => uri)).toEqual([
    'mcp://a.b',
    'mcp://a.c',
    'mcp://b.A',
    'mcp://b.a',
  ]);
  expect(declareTools(names).list()).toEqual([
    ...['tools.a', '.b({}): json', '.c({}): json'],
    ...['tools.b', '.A({}): json', '.a({}): json'],
  ]);
});
