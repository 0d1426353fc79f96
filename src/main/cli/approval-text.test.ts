import type { FileChange, TextHunk } from '#shared/file-change';
import type { Json } from '#shared/json';
import { describe, expect, it } from 'vitest';
import {
  callLines,
  exactLines,
  isQuestion,
  questionLines,
  scopeLines,
  targetLine,
  type ShownCall,
} from './approval-text';

const call = (args: Json, more: Partial<ShownCall> = {}): ShownCall => ({
  sessionId: 's',
  runId: 'r',
  nodeId: 'n',
  approvalId: 'a',
  tool: 'mcp://mail.send',
  arguments: args,
  hash: 'h',
  ...more,
});
const textsOf = (shown: ShownCall): readonly string[] => callLines(shown).map(({ text }) => text);
/** The lines below the target. */
const formOf = (args: Json, more: Partial<ShownCall> = {}): readonly string[] =>
  textsOf(call(args, more)).slice(1);

describe('the arguments of a call', () => {
  it.each<[string, Json, readonly string[]]>([
    [
      'values of each type',
      { a: 'x', n: 1.5, b: false, z: null },
      ['  a: x', '  n: 1.5', '  b: false', '  z: null'],
    ],
    [
      'an empty text, list and object',
      { t: '', l: [], o: {} },
      ['  t: (empty text)', '  l: (no items)', '  o: (no values)'],
    ],
    ['a text of several lines', { body: 'Hi\n\n  Ada' }, ['  body:', '    | Hi', '    | ', '    |   Ada']],
    ['a list', { to: ['a@b.c', 'd@e.f'] }, ['  to:', '    - a@b.c', '    - d@e.f']],
    ['an object in a list', { rows: [{ id: 1 }] }, ['  rows:', '    -', '      id: 1']],
    ['text from right to left', { to: 'שלום' }, ['  to: שלום']],
    ['no arguments', {}, []],
    ['arguments that are no object', ['x', 1], ['["x",1]']],
    ['arguments that are a text', 'x', ['"x"']],
  ])('are shown one a line: %s', (_name, args, lines) => {
    expect(formOf(args)).toEqual(lines);
  });

  it('that are long are cut, and say so', () => {
    const [line = ''] = formOf({ text: 'x'.repeat(30_000) });
    expect(line.length).toBe('  text: '.length + 20_000 + 1);
    expect(line.endsWith('…')).toBe(true);
    expect(formOf({ text: 'x'.repeat(20_000) })[0]?.endsWith('x')).toBe(true);
  });

  it('of a text cannot look like another argument', () => {
    const lines = formOf({ body: 'x\n  to: ada@example.org' });
    expect(lines).toEqual(['  body:', '    | x', '    |   to: ada@example.org']);
  });

  it.each<[string, Json, Partial<ShownCall>]>([
    ['a name', { 'body: x\n  to': 'eve@example.org' }, {}],
    ['a name in an object', { o: { 'body: x\r\n  to': 1 } }, {}],
    ['a label', { to: 'eve@example.org' }, { labels: { to: 'Body: x\n  to: ada@example.org' } }],
    [
      'a name that a read gave',
      { to: '7' },
      { names: [{ value: '7', name: 'Ada\n  to: ada@example.org', source: 'mcp://people.get' }] },
    ],
  ])('cannot look like another argument through %s with a line break', (_name, args, more) => {
    for (const line of formOf(args, more)) expect(line).not.toMatch(/[\r\n]/);
  });

  it('have the title that the server gives them beside their name', () => {
    expect(formOf({ to: 'x', cc: 'y' }, { labels: { to: 'Recipient' } })).toEqual([
      '  Recipient (to): x',
      '  cc: y',
    ]);
    // A name that every object has is no label.
    expect(formOf({ toString: 'x' }, { labels: {} })).toEqual(['  toString: x']);
  });

  it('have the names of known ids, in lists too, of text and of numbers', () => {
    const names = [{ value: '7', name: 'Ada', source: 'mcp://people.get' }];
    expect(formOf({ id: 7, ids: ['7', '8'] }, { names })).toEqual([
      '  id: 7 = Ada (from people.get)',
      '  ids:',
      '    - 7 = Ada (from people.get)',
      '    - 8',
    ]);
  });

  it('say which tools they come from', () => {
    const sources = [
      { argument: 'to', tools: ['mcp://web.get', 'mcp://people.get'] },
      { argument: 'cc', tools: [] },
    ];
    expect(formOf({ to: 'x', cc: 'y' }, { sources })).toEqual([
      '  to: x',
      '    (from web.get, people.get)',
      '  cc: y',
    ]);
  });
});

const line = (kind: 'same' | 'added' | 'removed' | 'note', text: string): TextHunk['lines'][number] => ({
  kind,
  text,
});
const textChange = (more: Partial<Extract<FileChange, { kind: 'text' }>> = {}): FileChange => ({
  kind: 'text',
  path: 'src/a.ts',
  hash: 'h',
  exists: true,
  hunks: [],
  added: 1,
  removed: 1,
  omitted: 0,
  ...more,
});
const fileCall = (file: FileChange, more: Partial<ShownCall> = {}): ShownCall =>
  call({ path: 'x', content: 'the whole content' }, { tool: 'mcp://filesystem.write_file', file, ...more });

describe('the change of a file', () => {
  const hunks: TextHunk[] = [
    {
      oldStart: 3,
      newStart: 3,
      lines: [
        line('same', 'a'),
        line('removed', 'b\r'),
        line('added', 'c\r'),
        line('added', 'd'),
        line('same', 'e'),
      ],
    },
    { oldStart: 10, newStart: 11, lines: [line('removed', 'z'), line('note', 'No newline at the end')] },
  ];

  it('has the numbers of both files, signs, and what is between', () => {
    expect(textsOf(fileCall(textChange({ hunks })))).toEqual([
      'filesystem.write_file src/a.ts: +1 −1',
      '           … 2 unchanged lines',
      '    3    3   a',
      '    4      - b',
      '         4 + c',
      '         5 + d',
      '    5    6   e',
      '           … 4 unchanged lines',
      '   10      - z',
      '             No newline at the end',
    ]);
  });

  it('styles added and removed lines alone', () => {
    const styles = callLines(fileCall(textChange({ hunks }))).map(({ style }) => style);
    expect(styles.filter((style) => style === 'added')).toHaveLength(2);
    expect(styles.filter((style) => style === 'removed')).toHaveLength(2);
    expect(styles.filter((style) => style === undefined)).toHaveLength(4);
  });

  it('says how many changed lines are not shown', () => {
    expect(textsOf(fileCall(textChange({ hunks: [], omitted: 12 }))).at(-1)).toBe(
      '           … 12 more changed lines; x shows all',
    );
  });

  it('of a new file has no unchanged lines before it', () => {
    const created = textChange({
      exists: false,
      hunks: [{ oldStart: 5, newStart: 1, lines: [line('added', 'x')] }],
    });
    expect(textsOf(fileCall(created))).toEqual([
      'filesystem.write_file src/a.ts: new file, 1 line',
      '         1 + x',
    ]);
  });

  it.each<[FileChange, readonly string[]]>([
    [
      { kind: 'replaced', path: 'a.png', hash: 'h', why: 'binary', bytes: 10, first: [], newBytes: 20 },
      ['filesystem.write_file a.png: replaces a binary file', '           10 bytes now, 20 bytes after'],
    ],
    [
      { kind: 'replaced', path: 'big', hash: 'h', why: 'large', bytes: 10, first: ['one', 'two'] },
      [
        'filesystem.write_file big: replaces a file too large to compare',
        '           10 bytes now',
        '           one',
        '           two',
      ],
    ],
    [
      { kind: 'moved', path: 'a', hash: 'h', to: 'b', folder: false, taken: true },
      ['filesystem.write_file a: destination exists, so the move will fail'],
    ],
    [{ kind: 'folder', path: 'd', hash: 'h', exists: false }, ['filesystem.write_file d: new folder']],
    [
      {
        kind: 'deleted',
        path: 'a',
        hash: 'h',
        bytes: 9,
        binary: false,
        hunks: [{ oldStart: 1, newStart: 1, lines: [line('removed', 'x')] }],
        more: true,
      },
      ['filesystem.write_file a: deletes the file, 9 bytes', '    1      - x', '           … more lines'],
    ],
  ])('is shown instead of the arguments: %o', (file, lines) => {
    expect(textsOf(fileCall(file))).toEqual(lines);
  });

  it('that is not known shows why, and the arguments', () => {
    const unknown: FileChange = { kind: 'unknown', path: 'a', hash: 'h', reason: 'the file cannot be read' };
    expect(textsOf(fileCall(unknown))).toEqual([
      'filesystem.write_file a: the file cannot be read',
      '  path: x',
      '  content: the whole content',
    ]);
  });
});

describe('what a card says of a call', () => {
  it('names first that the file changed, and last whether the write can be undone', () => {
    const again = fileCall(textChange(), { again: true, undo: 'impossible' });
    expect(textsOf(again)[0]).toMatch(/^The file has changed since you approved/);
    expect(textsOf(again).at(-1)).toBe('This cannot be undone.');
    expect(textsOf(fileCall(textChange(), { undo: 'possible' })).at(-1)).toBe('You can undo this write.');
    expect(textsOf(fileCall(textChange()))).toHaveLength(1);
  });

  it('keeps trusted and untrusted sources apart, each named once, and says what goes where', () => {
    const origins = [
      { source: 'mcp://files.read', nodeId: 'a', trusted: true },
      { source: 'mcp://web.get', nodeId: 'b', trusted: false },
      { source: 'mcp://web.get', nodeId: 'c', trusted: false },
    ];
    const lines = callLines(call({}, { origins, flows: [{ from: 'web', to: 'mail' }] })).slice(1);
    expect(lines).toEqual([
      { text: '(uses data from files.read)', style: 'quiet' },
      { text: '(passes text from web on to mail)' },
      { text: '(may contain text from web.get, which is not trusted)' },
    ]);
  });

  it('is the tool and its target without a change', () => {
    expect(targetLine(call({ path: 'a.md', body: 'x' }))).toBe('mail.send a.md');
  });

  it('is, word for word, the call when the user asks for it', () => {
    const args = { body: 'x\n  to: y' };
    const lines = exactLines([call(args), call(['z'])]).map(({ text }) => text);
    expect(lines).toEqual([
      `mcp://mail.send\n${JSON.stringify(args, null, 2)}`,
      `mcp://mail.send\n${JSON.stringify(['z'], null, 2)}`,
    ]);
  });
});

describe('a question of the plan', () => {
  const question = (args: Json): readonly string[] =>
    questionLines(call(args, { tool: 'request_user_approval' })).map(({ text }) => text);

  it('is not a permission', () => {
    expect(isQuestion({ tool: 'request_user_approval' })).toBe(true);
    expect(isQuestion({ tool: 'mcp://x.request_user_approval' })).toBe(false);
  });

  it.each<[string, Json, readonly string[]]>([
    ['its words and values', { action: 'Send it?', arguments: { to: 'Ada' } }, ['Send it?', '  to: Ada']],
    ['the inputs without values', { action: 'Send it?', inputs: { n: 3 } }, ['Send it?', '  n: 3']],
    ['its words alone', { action: 'Send it?', arguments: {} }, ['Send it?']],
    ['a question when it has no words', { action: 7 }, ['The plan asks whether to continue.']],
    ['a question when it has no form', 'x', ['The plan asks whether to continue.']],
  ])('shows %s', (_name, args, lines) => {
    expect(question(args)).toEqual(lines);
  });
});

describe('what an answer may allow beyond its card', () => {
  const scopes = (calls: readonly ShownCall[], mayAllow = true): readonly string[] =>
    scopeLines(calls, 'same', mayAllow).map(({ text }) => text);

  it('names the default, each scope from narrow to wide, and the refusal', () => {
    expect(scopes([call({ to: 'x' })])).toEqual([
      '  run, session, always: approve, and allow without asking in that scope (same unless you add a word):',
      expect.stringMatching(/^ {4}same {6}.*with exactly these arguments$/),
      expect.stringMatching(/^ {4}any {7}.*with any arguments$/),
      '  never       never allow mail.send in this project',
    ]);
  });

  it('is nothing but the refusal where no permission may be saved', () => {
    expect(scopes([call({ to: 'x' })], false)).toEqual([
      '  never       never allow mail.send in this project',
    ]);
  });

  it('names each tool of the card once', () => {
    const calls = [call({}), call({}), call({}, { tool: 'mcp://chat.post' })];
    expect(scopes(calls).at(-1)).toBe('  never       never allow mail.send, chat.post in this project');
  });
});
