import { describe, expect, it } from 'vitest';
import { CommandDefinition } from '#shared/command';
import type { SourceDefinition } from '#shared/resolver';
import { matchForms } from './form-trie';
import { checkRoutingTable, compileRoutingTable } from './routing-table';
import { readUtterance } from './utterance';

const sources = new Map<string, SourceDefinition>([
  [
    'things',
    {
      id: 'things',
      displayName: 'Things',
      nouns: { one: ['big thing', 'thing'], many: ['things'] },
      vocabulary: 'curated',
    },
  ],
  [
    'others',
    { id: 'others', displayName: 'Others', nouns: { one: ['other'], many: ['others'] }, vocabulary: 'open' },
  ],
]);

const row = (commandId: string, intentPatterns: readonly string[], more: Record<string, unknown> = {}) =>
  CommandDefinition.parse({
    commandId,
    displayName: commandId,
    toolName: 'tool',
    singleParameterName: 'id',
    resolverSource: { catalogId: 'things' },
    intentPatterns,
    ...more,
  });

const problemsOf = (...commands: readonly CommandDefinition[]) => checkRoutingTable(commands, sources);
const rulesOf = (...patterns: readonly string[]) => problemsOf(row('A', patterns)).map(({ rule }) => rule);

function saysOf(patterns: readonly string[], line: string): readonly string[] {
  const table = compileRoutingTable([row('A', patterns)], sources);
  const { words } = readUtterance(line);
  return matchForms(table.trie, words, 0, words.length).map(({ rule, start, end }) => {
    const slot = words.slice(start, end).map(({ text }) => text);
    return `${rule.scope}: ${slot.join(' ')}`;
  });
}

describe('pattern findings', () => {
  it('[CPR-6-patterns] name the command, the field, the rule and the reason', () => {
    expect(problemsOf(row('A', ['good {item}', 'one {item} two {item}']))).toEqual([
      {
        commandId: 'A',
        field: 'intentPatterns[1]',
        rule: 'two-slots',
        reason: 'A command has one parameter: a pattern has one {item} at most.',
      },
    ]);
  });

  it('[CPR-6-patterns] cover each kind of problem', () => {
    expect(rulesOf('a [{item}] b {item}')).toEqual(['two-slots']);
    for (const pattern of ['{item}', '[please]', '[a] {item} [b]'])
      expect(rulesOf(pattern)).toEqual(['unreachable-pattern']);
    for (const pattern of ['go to a/b', 'say "it"', 'run x=1', '🚀 up', 'one, two', 'open app.ts'])
      expect(rulesOf(pattern), pattern).toEqual(['unreachable-pattern']);
    for (const pattern of [
      'a (b',
      'a b)',
      'a [b',
      'a () b',
      'a {b} c',
      'a { b',
      'a (b|) c',
      'go {constructor}',
      ': a',
      'use {item}: x',
    ])
      expect(rulesOf(pattern), pattern).toEqual(['malformed-pattern']);
    expect(rulesOf('go {item:far}')).toEqual(['malformed-pattern']);
    expect(rulesOf(`x ${'(a|b|c|d) '.repeat(9)}`)).toEqual(['too-many-forms']);
    expect(rulesOf(`x ${'[a] '.repeat(400)}`)).toEqual(['too-many-forms']);
    expect(rulesOf('x '.repeat(2_000))).toEqual(['malformed-pattern']);
    expect(rulesOf('('.repeat(1_999))).toEqual(['malformed-pattern']);
  });

  it('[CPR-6-patterns] include a noun whose source has none, and a launcher with a slot', () => {
    const unknown = { resolverSource: { providerId: 'nowhere' } };
    expect(problemsOf(row('A', ['open {noun}'], unknown))[0]?.rule).toBe('no-noun');
    expect(problemsOf(row('A', ['open [{item}] now'], { commandKind: 'launcher' }))[0]?.rule).toBe(
      'slot-in-launcher',
    );
  });

  it('[CPR-6-patterns] include the same words in two commands, on one source if they have a slot', () => {
    const other = { resolverSource: { catalogId: 'others' } };
    const same = problemsOf(row('A', ['(open|show) {item}']), row('B', ['open [the] {item}']));
    expect(same.map(({ commandId, rule }) => [commandId, rule])).toEqual([['B', 'same-pattern']]);
    expect(problemsOf(row('A', ['open {item}']), row('B', ['open {item}'], other))).toEqual([]);
    expect(problemsOf(row('A', ['open {item}']), row('B', ['open {item} now']))).toEqual([]);
    expect(problemsOf(row('A', ['open it']), row('B', ['open it'], other))[0]?.rule).toBe('same-pattern');
    expect(problemsOf(row('A', ['open it', 'open [it]']))).toEqual([]);
  });

  it('[CPR-6-patterns] include a slash name of two commands', () => {
    expect(problemsOf(row('A', [], { slash: 'go' }), row('B', [], { slash: 'go' }))).toMatchObject([
      { commandId: 'B', field: 'slash', rule: 'same-slash' },
    ]);
  });

  it('report a command with too many forms once, and its valid patterns still work', () => {
    const many = `x ${'(a|b|c|d) '.repeat(6)}`;
    const problems = problemsOf(row('A', [many, many.replace('x', 'y')]));
    expect(problems.map(({ field, rule }) => [field, rule])).toEqual([['intentPatterns', 'too-many-forms']]);
    expect(saysOf(['{item}', 'take {item}'], 'take one two')).toEqual(['phrase: one two']);
  });
});

describe('the scope of a slot', () => {
  it('follows from the words around it', () => {
    expect(saysOf(['take [the] {item} {noun}'], 'take the red big thing')).toContain('any: red');
    expect(saysOf(['take {item}'], 'take red')).toEqual(['phrase: red']);
    expect(saysOf(['[the] {item} {noun}'], 'the red thing')).toContain('name: red');
    expect(saysOf(['{noun}: {item}'], 'thing: red')).toEqual(['name: red']);
    expect(saysOf(['take {item:id}'], 'take red')).toEqual(['id: red']);
  });

  it('ends at a colon, a full stop, a quote and code', () => {
    expect(saysOf(['use {noun}: {item}'], 'use thing red')).toEqual([]);
    expect(saysOf(['use {noun} {item}'], 'use thing: red')).toEqual([]);
    for (const line of ['take! red', '"take red"', 'take, red', '`take` red', 'take. red'])
      expect(saysOf(['take {item}'], line), line).toEqual([]);
  });

  it('nests, and includes words of several parts', () => {
    const pattern = '(give (me|us)|hand [over]) [the] e-mail {item}';
    for (const line of [
      'give me e-mail x',
      'give us the e mail x',
      'hand e-mail x',
      'hand over the e-mail x',
    ])
      expect(saysOf([pattern], line), line).toEqual(['phrase: x']);
    expect(saysOf([pattern], 'give e-mail x')).toEqual([]);
  });
});
