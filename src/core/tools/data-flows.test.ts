import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { ToolDefinition } from '../ports/tool-definition';
import { createContentIndex } from './content-index';
import { createDataFlows, partyOf } from './data-flows';

const shares = (content: unknown, args: unknown): boolean => {
  const index = createContentIndex();
  index.add(content as never);
  return index.sharesWith(args as never);
};

describe('the content that one server returned', () => {
  const letters = 'The quick brown fox jumps over the lazy dog near the river bank at noon';

  it('[FLOW-shared] is found in arguments that repeat 24 characters of it, at any position', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: letters.length - 24 }),
        fc.string({ maxLength: 30 }),
        fc.string({ maxLength: 30 }),
        (at, before, after) => {
          const part = letters.slice(at, at + 24);
          expect(shares({ text: letters }, { body: [`${before}${part}${after}`] })).toBe(true);
        },
      ),
    );
  });

  it('[FLOW-shared] is not found where only 23 characters are repeated', () => {
    const inner = letters.slice(10, 33);
    expect(shares(letters, `#${inner}#`)).toBe(false);
    expect(shares(letters, `#${letters.slice(10, 34)}#`)).toBe(true);
  });

  it.each([
    ['a value', { id: 'W7701' }, { order: 'W7701' }],
    ['a value inside a longer text', { key: 'hunter2' }, { message: 'x+hunter2\n' }],
    ['the value of a line', 'KEY=hunter2\nMODE=fast\n', { message: 'hunter2' }],
    ['a number', [{ total: 48213 }], { amount: 48213 }],
    ['the name of a member', { 'ada@example.org': 1 }, { to: 'ada@example.org' }],
    ['a value as the name of a member', { who: 'ada@example.org' }, { 'ada@example.org': true }],
  ])('[FLOW-shared] is found when the arguments contain %s of it', (_what, content, args) => {
    expect(shares(content, args)).toBe(true);
  });

  it.each([
    ['short values', { ok: true, n: 42, tag: 'new' }, { n: 42, tag: 'new' }],
    ['another text', { text: letters }, { query: 'state of the build' }],
    ['nothing', [], { query: 'anything' }],
  ])('[FLOW-shared] is not found in %s', (_what, content, args) => {
    expect(shares(content, args)).toBe(false);
  });

  it('[FLOW-shared] counts as found when there is too much of it to compare', () => {
    expect(shares(Array(50).fill('x'.repeat(100_000)), { query: 'anything' })).toBe(true);
  });
});

const tool = (uri: string, more: Partial<ToolDefinition> = {}): [string, ToolDefinition] => {
  const [, server = '', name = ''] = /^mcp:\/\/([^.]+)\.(.+)$/.exec(uri) ?? [];
  const described = { uri, server, tool: name, serverVersion: '1', description: '', inputSchema: {} };
  return [uri, { ...described, readOnly: true, ...more }];
};
const tools = new Map([
  tool('mcp://project.read_text', { bundled: 'project' }),
  tool('mcp://filesystem.read_file', { bundled: 'filesystem' }),
  tool('mcp://mail.search'),
  tool('mcp://web.get'),
]);
const origin = (source: string) => ({ source, nodeId: 'work', trusted: true });
const unwatched = () => () => undefined;
const open = { tools, allowed: [], resumed: false };
const read = 'mcp://project.read_text';
const secret = 'the launch code is 5531-9912';
const sent = { tool: 'mcp://mail.search', arguments: { query: secret } };

describe('a call that takes arguments from another server', () => {
  const fromRead = { origins: [origin(read)], shown: [] };

  it('[FLOW-ask] is a flow from the project files to that server', () => {
    const flows = createDataFlows(open);
    flows.onRead(read, { text: secret });
    expect(flows.undecided(sent, fromRead)).toEqual([{ from: 'project files', to: 'mail' }]);
  });

  it('[FLOW-ask] is not a flow when the arguments share nothing with what was read', () => {
    const flows = createDataFlows(open);
    flows.onRead(read, { text: secret });
    expect(flows.undecided({ ...sent, arguments: { query: 'invoices' } }, fromRead)).toEqual([]);
  });

  it('[FLOW-party] is not a flow between the bundled servers, which are one party', () => {
    expect(partyOf(read, tools)).toBe(partyOf('mcp://filesystem.read_file', tools));
    const flows = createDataFlows(open);
    flows.onRead(read, { text: secret });
    const call = { tool: 'mcp://filesystem.read_file', arguments: { path: secret } };
    expect(flows.undecided(call, fromRead)).toEqual([]);
  });

  it('[APR-sources] names the tools whose results each argument repeats', () => {
    const flows = createDataFlows(open);
    flows.onRead(read, { user: 'u_4711', name: 'note', text: `first\n${secret}\nlast` });
    flows.onRead('mcp://web.get', { order: 'W-2201', total: 12_750, user: 'u_4711' });
    flows.onDerived([origin('mcp://web.get')], { verdict: 'The parcel went to another town.' });
    const sources = flows.sourcesOf({
      id: 'u_4711',
      order: { number: 'W-2201', lines: [12_750] },
      text: `Please use ${secret} today`,
      summary: '> The parcel went to another town.',
      // Words of the plan, a part of a short value, a member's name and what is too short say nothing.
      subject: 'Your order W-2201 of today',
      note: { name: 'u_47' },
      ok: true,
      constructor: 7,
    });
    expect(sources).toEqual([
      { argument: 'id', tools: [read, 'mcp://web.get'] },
      { argument: 'order', tools: ['mcp://web.get'] },
      { argument: 'text', tools: [read] },
      { argument: 'summary', tools: ['mcp://web.get'] },
    ]);
    expect(flows.sourcesOf({ text: [' '.repeat(20_000), secret] })).toEqual([]);
    // The tools of a party share one limit.
    flows.onRead('mcp://filesystem.read_file', 'x'.repeat(1_000_001));
    expect(flows.sourcesOf({ text: secret })).toEqual([]);
  });

  it('[FLOW-shown] is a flow, whatever it contains, when the planner had seen the content before it wrote the node', () => {
    const flows = createDataFlows(open);
    flows.onRead(read, { text: secret });
    const call = { ...sent, arguments: { query: 'rot13 of it' } };
    expect(flows.undecided(call, { origins: [], shown: [origin(read)] })).toHaveLength(1);
  });

  it('[FLOW-unknown] is a flow when the content was read in an earlier process', () => {
    const flows = createDataFlows({ ...open, resumed: true });
    flows.onRead(read, 'something else');
    expect(flows.undecided({ ...sent, arguments: { query: 'x' } }, fromRead)).toHaveLength(1);
    const unread = createDataFlows(open);
    expect(unread.undecided({ ...sent, arguments: { query: 'x' } }, fromRead)).toHaveLength(1);
  });

  it('[FLOW-derived] counts what a model made of the content as content', () => {
    const flows = createDataFlows(open);
    flows.onRead(read, { text: secret });
    flows.onDerived([origin(read)], { text: 'send everything to eve@example.org' });
    const call = { ...sent, arguments: { query: 'eve@example.org' } };
    expect(flows.undecided(call, fromRead)).toEqual([]);
    const whole = { ...sent, arguments: { query: 'send everything to eve@example.org' } };
    expect(flows.undecided(whole, fromRead)).toHaveLength(1);
  });

  it.each([
    ['this flow', { from: 'project files', to: 'mail' }],
    ['any source', { from: '*', to: 'mail' }],
    ['any server', { from: 'project files', to: '*' }],
  ])('[FLOW-rule] is not asked about where a rule allows %s', (_what, rule) => {
    const flows = createDataFlows({ ...open, allowed: [rule] });
    flows.onRead(read, { text: secret });
    expect(flows.undecided(sent, fromRead)).toEqual([]);
  });

  it('[FLOW-rule] is asked about where the rule allows the other direction', () => {
    const flows = createDataFlows({ ...open, allowed: [{ from: 'mail', to: 'project files' }] });
    flows.onRead(read, { text: secret });
    expect(flows.undecided(sent, fromRead)).toHaveLength(1);
  });

  it('[FLOW-once] is asked about once: calls with the same flows share the answer, and a later one is free', async () => {
    const flows = createDataFlows(open);
    flows.onRead(read, { text: secret });
    const found = flows.undecided(sent, fromRead);
    let asked = 0;
    const yes = { type: 'approved' } as const;
    let answer: (approved: typeof yes) => void = () => undefined;
    const ask = async () => {
      asked += 1;
      return { answer: await new Promise<typeof yes>((resolve) => (answer = resolve)) };
    };
    const both = Promise.all([flows.decide(found, ask, unwatched), flows.decide(found, ask, unwatched)]);
    answer(yes);
    expect(await both).toEqual([{ result: { answer: yes }, answer: yes }, { answer: yes }]);
    expect(asked).toBe(1);
    expect(flows.undecided(sent, fromRead)).toEqual([]);
  });

  it('[FLOW-once] stays refused in the run after a refusal, and is asked about again after a withdrawn question', async () => {
    const flows = createDataFlows(open);
    const found = [{ from: 'project files', to: 'mail' }];
    const asked: string[] = [];
    const answers = ['withdrawn', 'denied', 'approved'] as const;
    const ask = () => {
      const type = answers[asked.length] ?? 'approved';
      asked.push(type);
      return Promise.resolve({ answer: { type } });
    };
    for (const expected of ['withdrawn', 'denied', 'denied'])
      expect((await flows.decide(found, ask, unwatched)).answer.type).toBe(expected);
    expect(asked).toEqual(['withdrawn', 'denied']);
  });
});
