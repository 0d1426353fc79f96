import type { SessionEvent } from '#shared/session-event';
import type { RunState } from '#shared/session-state';
import { appError } from '#shared/app-error';
import type { ApprovalDecision } from '#shared/approval';
import type { Language } from '#shared/language';
import { Plan, type PlanSource } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';
import { describe, expect, it, vi } from 'vitest';
import type { App } from '../app';
import { createApprovalPrompts } from './ask-approval';
import type { ReadLineOptions } from './line-reader';
import type { LineStyle, Terminal } from './output';
import { createTurns } from './turns';

type Asked = Extract<SessionEvent, { type: 'approval-requested' }>;

const requested = (approvalId: string, card?: string, more: Partial<Asked> = {}): Asked => ({
  v: 1,
  sessionId: 's',
  seq: 1,
  at: 0,
  type: 'approval-requested',
  turn: 0,
  runId: 'r',
  nodeId: 'n',
  approvalId,
  tool: 'mcp://fs.write',
  arguments: { path: 'a', content: 'b' },
  hash: `hash-${approvalId}`,
  ...(card !== undefined && { card }),
  ...more,
});

function open(answers: (string | null)[], language: Language = 'en') {
  const answerApprovals = vi.fn((_decisions: readonly ApprovalDecision[], _wish?: unknown): Result<null> =>
    ok(null),
  );
  const editApproval = vi.fn((): ReturnType<App['editApproval']> => Promise.resolve(ok(null)));
  const logged: string[] = [];
  const quiet: string[] = [];
  const readLine = vi.fn((_prompt: string, options?: ReadLineOptions) =>
    answers.length > 0
      ? Promise.resolve(answers.shift() ?? null)
      : new Promise<null>((resolve) => options?.signal?.addEventListener('abort', () => resolve(null))),
  );
  const inTurn = createTurns();
  const terminal = {
    log: (text: string, style?: LineStyle) => {
      logged.push(text);
      if (style === 'quiet') quiet.push(text);
    },
    readLine,
    language,
    inTurn,
  } as unknown as Terminal;
  const prompts = createApprovalPrompts(
    {
      runs: {
        answer: (_place: unknown, given: readonly ApprovalDecision[], wish?: unknown) =>
          wish === undefined ? answerApprovals(given) : answerApprovals(given, wish),
      },
      editApproval,
    } as unknown as App,
    terminal,
  );
  /** Resolves when every question so far is answered or withdrawn. */
  const idle = () => inTurn(() => Promise.resolve());
  return { prompts, answerApprovals, editApproval, readLine, logged, quiet, idle };
}

/** Asks about these calls on one card, or about each call on its own, and answers; what is asked once more is refused. */
async function answered(
  answers: string[],
  calls: readonly Asked[],
  before: readonly SessionEvent[] = [],
  language: Language = 'en',
) {
  const terminal = open([...answers, 'n'], language);
  terminal.prompts.onEvents([...before, ...calls]);
  await terminal.idle();
  const [decisions = [], grant] = terminal.answerApprovals.mock.calls[0] ?? [];
  return { ...terminal, decisions, grant, approved: decisions.map(({ approved }) => approved) };
}

const notAChoice = 'This is none of the answers above. Nothing was approved or refused.';

const cardOf = (count: number, more: Partial<Asked> = {}): readonly Asked[] =>
  Array.from({ length: count }, (_, at) => requested(String(at + 1), 'card', more));

const planMade = (
  source: PlanSource,
  titles: Record<string, string> = { n: 'Write it' },
  more: object = {},
): SessionEvent => ({
  ...{ v: 1, sessionId: 's', seq: 1, at: 0, type: 'plan-made', turn: 0, runId: 'r', planHash: 'p', source },
  plan: Plan.parse({
    goal: 'Do it',
    nodes: Object.entries(titles).map(([id, title]) => ({ id, title, kind: 'script', code: '' })),
    answer: 'Done.',
  }),
  ...more,
});

describe('approvals at the terminal', () => {
  it.each([
    ['y', true],
    [' YES ', true],
    ['no, thanks', false],
    ['', false],
    ['n', false],
    [null, false],
  ])('read %j as %j, for the exact call', async (answer, approved) => {
    const { prompts, answerApprovals, logged } = open([answer]);
    prompts.onEvents([requested('1')]);
    await vi.waitFor(
      () =>
        expect(answerApprovals).toHaveBeenCalledExactlyOnceWith([
          { approvalId: '1', hash: 'hash-1', approved },
        ]),
      15_000,
    );
    expect(logged).toContain('  content: b');
  });

  it('[APR-sources] say which tools an argument repeats', async () => {
    const { prompts, logged } = open(['n']);
    const sources = [{ argument: 'content', tools: ['mcp://web.get'] }];
    const args = { constructor: 'a', content: 'b' };
    prompts.onEvents([requested('1', undefined, { arguments: args, sources, labels: { content: 'Text' } })]);
    await vi.waitFor(() => expect(logged).toContain('    (from web.get)'), 15_000);
    expect(logged.slice(0, logged.indexOf('    (from web.get)')).slice(-2)).toEqual([
      '  constructor: a',
      '  Text (content): b',
    ]);
  });

  it('ask one at a time, in order', async () => {
    const { prompts, answerApprovals } = open(['y', 'n']);
    prompts.onEvents([requested('1'), requested('2')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledTimes(2), 15_000);
    expect(answerApprovals.mock.calls).toEqual([
      [[{ approvalId: '1', hash: 'hash-1', approved: true }]],
      [[{ approvalId: '2', hash: 'hash-2', approved: false }]],
    ]);
  });

  it('ask again after words that are no choice, so that a slip neither approves nor refuses', async () => {
    const { prompts, answerApprovals, logged } = open(['yes please', 'use a copy', 'always all', '2', 'y']);
    prompts.onEvents([requested('1')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(answerApprovals.mock.calls).toEqual([[[{ approvalId: '1', hash: 'hash-1', approved: true }]]]);
    expect(logged.filter((line) => line.includes('none of the answers'))).toHaveLength(4);
  });

  it('[AGP-card-terminal] ask once per card; numbers approve some of its calls', async () => {
    const { prompts, answerApprovals, logged } = open(['2']);
    prompts.onEvents([requested('1', 'card'), requested('2', 'card')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(answerApprovals.mock.calls).toEqual([
      [
        [
          { approvalId: '1', hash: 'hash-1', approved: false },
          { approvalId: '2', hash: 'hash-2', approved: true },
        ],
      ],
    ]);
    expect(logged.at(-1)).toBe('Approved 1 of 2.');
  });

  it('[APR-steps] list the calls of parallel steps with the names of the steps, filtered on request', async () => {
    const { prompts, answerApprovals, logged } = open(['/ b.md', '2']);
    const node = (id: string) => ({ id, kind: 'script', title: `Step ${id}`, deps: [] });
    prompts.onEvents([
      {
        ...{ v: 1, sessionId: 's', seq: 1, at: 0, type: 'plan-made', turn: 0, runId: 'r', planHash: 'p' },
        source: 'model',
        plan: { title: 'Two', goal: '', nodes: [node('one'), node('two')], constraints: [], answer: '' },
      } as unknown as SessionEvent,
      requested('1', 'card', { nodeId: 'one', arguments: { path: 'a.md' } }),
      requested('2', 'card', { nodeId: 'two', arguments: { path: 'b.md' } }),
    ]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(answerApprovals.mock.calls[0]?.[0]).toMatchObject([{ approved: false }, { approved: true }]);
    const lines = logged.filter((line) => line.includes('(Step'));
    expect(lines).toEqual([
      '  1  fs.write a.md (Step one)',
      '  2  fs.write b.md (Step two)',
      '  2  fs.write b.md (Step two)',
    ]);
  });

  it('[AGP-edit-terminal] keep the arguments on empty input, and at the end of the run', async () => {
    const { prompts, answerApprovals, editApproval, logged } = open(['e', '', 'e']);
    prompts.onEvents([requested('1')]);
    await vi.waitFor(() => expect(logged.filter((line) => line.startsWith('fs.write'))).toHaveLength(2));
    prompts.close();
    await vi.waitFor(() => expect(logged.join()).not.toContain('JSON'));
    expect(editApproval).not.toHaveBeenCalled();
    expect(answerApprovals).not.toHaveBeenCalled();
  });

  it('[APR-instead] take “no” with words as a plain no when no model planned the run', async () => {
    const { prompts, answerApprovals, logged } = open(['n: use a copy']);
    const plan = { goal: '', nodes: [], constraints: [], answer: '' };
    prompts.onEvents([
      {
        ...{ v: 1, sessionId: 's', seq: 1, at: 0, type: 'plan-made', turn: 0, runId: 'r', planHash: 'p' },
        ...{ source: 'file', plan },
      } as unknown as SessionEvent,
      requested('1'),
    ]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(answerApprovals.mock.calls[0]?.[0]).toEqual([
      { approvalId: '1', hash: 'hash-1', approved: false },
    ]);
    expect(logged.at(-1)).toBe('Not approved. No model planned this run, so nobody reads your words.');
  });

  it.each([
    ['run', { source: 'file' }],
    ['waiting plan', { source: undefined, proposal: { source: 'recipe' } }],
  ])('[APR-instead] offer no words where no model planned the resumed %s', async (_, known) => {
    const { prompts, answerApprovals, logged } = open(['n']);
    const plan = { goal: '', nodes: [{ id: 'n', title: 'Write it' }], constraints: [], answer: '' };
    prompts.onResume({ runId: 'r', plan, ...known } as unknown as RunState);
    prompts.onEvents([requested('1')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(logged.filter((line) => line.includes('n: WORDS'))).toEqual([]);
  });

  it('[APR-instead] offer words where the resumed run has no plan yet', async () => {
    const { prompts, answerApprovals, logged } = open(['n']);
    prompts.onResume({ runId: 'r' } as unknown as RunState);
    prompts.onEvents([requested('1')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(logged.filter((line) => line.includes('n: WORDS'))).toHaveLength(1);
  });

  it('[APR-sources] do not say which tools an argument repeated before the user edited it', async () => {
    const { prompts, answerApprovals, editApproval, logged } = open(['e', '{"content":"c"}', 'y']);
    editApproval.mockImplementation(() => {
      const now = { approvalId: '1', arguments: { content: 'c' }, hash: 'new' };
      prompts.onEvents([{ ...requested('1'), ...now, type: 'approval-edited' }]);
      return Promise.resolve(ok(null));
    });
    const sources = [{ argument: 'content', tools: ['mcp://web.get'] }];
    prompts.onEvents([requested('1', undefined, { sources })]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(logged.filter((line) => line.includes('(from web.get)'))).toHaveLength(1);
    expect(logged).toContain('  content: c');
  });

  it('[AGP-edit-terminal] let the user edit a call, show it again, and apply the answer to the new one', async () => {
    const { prompts, answerApprovals, editApproval, logged } = open(['e', '{"path":"b"}', 'y']);
    editApproval.mockImplementation(() => {
      const now = { approvalId: '1', arguments: { path: 'b' }, hash: 'new' };
      prompts.onEvents([{ ...requested('1'), ...now, type: 'approval-edited' }]);
      return Promise.resolve(ok(null));
    });
    prompts.onEvents([requested('1')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(editApproval).toHaveBeenCalledExactlyOnceWith({
      approvalId: '1',
      hash: 'hash-1',
      arguments: { path: 'b' },
    });
    expect(answerApprovals.mock.calls).toEqual([[[{ approvalId: '1', hash: 'new', approved: true }]]]);
    expect(logged).toContain('  path: b');
  });

  it('withdraw open questions when the run is over, and answer none of them', async () => {
    const { prompts, answerApprovals, readLine, logged, idle } = open([]);
    prompts.onEvents([requested('1'), requested('2')]);
    await vi.waitFor(() => expect(readLine).toHaveBeenCalledOnce(), 15_000);
    const shown = logged.length;
    prompts.close();
    await idle();
    expect(answerApprovals).not.toHaveBeenCalled();
    expect(readLine).toHaveBeenCalledOnce();
    expect(logged).toHaveLength(shown);
  });

  it('asks with a prompt that names the default, which nothing typed before the question answers', async () => {
    const question = requested('2', undefined, { tool: 'request_user_approval' });
    const { readLine } = await answered(['n', 'n'], [requested('1'), question]);
    expect(readLine.mock.calls.map(([prompt, options]) => [prompt, options?.discardTypeahead])).toEqual([
      ['Approve exactly this? [y/N] ', true],
      ['Your answer [y/N] ', true],
    ]);
  });

  it('ask about calls alone, not about other events or an edit of a call that is not open', async () => {
    const edit = { approvalId: '1', arguments: {}, hash: 'new' };
    const { readLine, logged } = await answered(
      [],
      [],
      [planMade('model'), { ...requested('1'), ...edit, type: 'approval-edited' }],
    );
    expect(readLine).not.toHaveBeenCalled();
    expect(logged).toEqual([]);
  });

  const file = {
    ...{
      kind: 'text' as const,
      path: 'docs/a.md',
      hash: 'h',
      exists: true,
      added: 1,
      removed: 1,
      omitted: 0,
    },
    hunks: [
      {
        ...{ oldStart: 3, newStart: 3 },
        lines: [
          { kind: 'removed' as const, text: 'old \u001B[2J' },
          { kind: 'added' as const, text: 'new' },
        ],
      },
    ],
  };
  const write = { tool: 'mcp://filesystem.write_file', file, undo: 'possible' as const };

  it('[APR-terminal] show the difference of a file, its undo, and every scope before the choice', async () => {
    const { prompts, answerApprovals, logged } = open(['x', 'session']);
    prompts.onEvents([requested('1', undefined, write)]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    const shown = logged.join('\n');
    expect(shown).toContain('filesystem.write_file docs/a.md: +1 −1');
    expect(shown).toMatch(/… 2 unchanged lines\n {4}3 {6}- old .*\n {9}3 \+ new\n/);
    expect(shown).toContain('You can undo this write.');
    expect(shown).toContain('folder    write_file in docs/**');
    expect(shown).toContain('same      write_file with exactly these arguments');
    expect(shown).toContain('never allow filesystem.write_file in this project');
    expect(shown).toContain('"content": "b"');
    expect(answerApprovals.mock.calls[0]?.[1]).toEqual({
      reach: 'session',
      decision: 'allow',
      where: { path: { within: 'docs' } },
    });
  });

  it('[APR-terminal] save the scope that follows the duration, and nothing for an unknown one', async () => {
    const { prompts, answerApprovals } = open(['always any', 'always all', 'n']);
    prompts.onEvents([requested('1', undefined, write), requested('2', undefined, write)]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledTimes(2), 15_000);
    expect(answerApprovals.mock.calls).toEqual([
      [
        [{ approvalId: '1', hash: 'hash-1', approved: true }],
        { reach: 'always', decision: 'allow', where: {} },
      ],
      [[{ approvalId: '2', hash: 'hash-2', approved: false }]],
    ]);
  });

  it('[APR-instead] accept text after a no', async () => {
    const { prompts, answerApprovals } = open(['No, instead: only the title', 'n']);
    prompts.onEvents([requested('1'), requested('2')]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledTimes(2), 15_000);
    expect(answerApprovals.mock.calls).toEqual([
      [[{ approvalId: '1', hash: 'hash-1', approved: false, said: 'only the title' }]],
      [[{ approvalId: '2', hash: 'hash-2', approved: false }]],
    ]);
  });

  it('[APR-list] list many calls by target, show one of them, and accept ranges', async () => {
    const { prompts, answerApprovals, logged } = open(['? 2', '1-2,4']);
    const calls = ['1', '2', '3', '4'].map((id) =>
      requested(id, 'card', { ...write, file: { ...file, path: `docs/${id}.md` } }),
    );
    prompts.onEvents(calls);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledOnce(), 15_000);
    expect(logged).toContain('  3  filesystem.write_file docs/3.md: +1 −1');
    expect(logged).toContain('filesystem.write_file docs/2.md: +1 −1');
    expect(logged.at(-1)).toBe('Approved 3 of 4.');
  });

  it('[APR-question] show a question of the plan as a question, without a scope to save', async () => {
    const { prompts, answerApprovals, logged } = open(['always', 'n', 'y']);
    const question = {
      tool: 'request_user_approval',
      arguments: { action: 'Shall the old copy stay?', arguments: { copy: 'old.txt' } },
    };
    prompts.onEvents([requested('1', undefined, question), requested('2', undefined, question)]);
    await vi.waitFor(() => expect(answerApprovals).toHaveBeenCalledTimes(2), 15_000);
    const shown = logged.join('\n');
    expect(shown).toContain('Shall the old copy stay?\n  copy: old.txt\n');
    expect(shown).not.toMatch(/request_user_approval|always|never|wants to make/);
  });

  const web = 'mcp://web.get';

  it.each([
    ['2', '2'],
    ['1,3', '1 3'],
    ['1, 3', '1 3'],
    ['1 3', '1 3'],
    ['2-4', '2 3 4'],
    ['3-3', '3'],
    ['1 10-12', '1 10 11 12'],
    ['10-11,12', '10 11 12'],
    ['1-2 10', '1 2 10'],
    ['y', '1 2 3 4 5 6 7 8 9 10 11 12'],
    ['0', ''],
    ['13', ''],
    ['1,13', ''],
    ['13,1', ''],
    ['0-2', ''],
    ['12-13', ''],
    ['3-2', ''],
    ['1,3-2', ''],
    ['1-2-3', ''],
    ['2x', ''],
    ['1.5', ''],
    ['1,', ''],
    ['1 y', ''],
  ])('[APR-list] approve of twelve calls, on the answer %j, exactly: %s', async (answer, expected) => {
    const { approved, logged } = await answered([answer], cardOf(12));
    const picked = approved.flatMap((yes, at) => (yes ? [at + 1] : []));
    expect(picked.join(' ')).toBe(expected);
    const count = picked.length;
    const some = count === 12 ? 'Approved.' : `Approved ${count} of 12.`;
    expect(logged.at(-1)).toBe(count === 0 ? 'Not approved.' : some);
    expect(logged.includes(notAChoice)).toBe(count === 0);
  });

  it.each(['1', '/ a'])('[APR-list] take no %j where there is one call', async (answer) => {
    expect((await answered([answer], [requested('1')])).logged).toContain(notAChoice);
  });

  it.each([
    ['n: use a copy', 'use a copy'],
    ['NO: use a copy', 'use a copy'],
    ['n:use a copy ', 'use a copy'],
    ['no  :  use a copy', 'use a copy'],
    ['no instead: a: b', 'a: b'],
    ['n,instead: use a copy', 'use a copy'],
    ['No,  instead : use a copy', 'use a copy'],
    ['n', undefined],
    ['n:', undefined],
    ['no, use a copy', undefined],
    ['note: use a copy', undefined],
    ['on: use a copy', undefined],
    ['y, no: use a copy', undefined],
  ])('[APR-instead] read %j as a no that says %j to the model', async (answer, said) => {
    const { decisions, logged } = await answered([answer], [requested('1')], [planMade('model')]);
    const no = { approvalId: '1', hash: 'hash-1', approved: false };
    expect(decisions).toStrictEqual([said === undefined ? no : { ...no, said }]);
    expect(logged.at(-1)).toBe('Not approved.');
  });

  it.each(['file', 'recipe', 'earlier'] as const)(
    '[APR-instead] take a no without words as one in a run whose plan is from: %s',
    async (source) => {
      const { logged } = await answered(['n'], [requested('1')], [planMade(source)]);
      expect(logged.at(-1)).toBe('Not approved.');
      expect(logged.join()).not.toContain('WORDS');
    },
  );

  it('[APR-instead] offer no words in a resumed run whose plan is not known yet', async () => {
    const { prompts, logged, idle } = open(['n']);
    prompts.onResume({ runId: 'r', source: 'file' } as unknown as RunState);
    prompts.onEvents([requested('1')]);
    await idle();
    expect(logged.join()).not.toContain('WORDS');
  });

  it.each<[string, Partial<Asked>, unknown]>([
    ['session', write, { path: { within: 'docs' } }],
    ['session', { tool: web, arguments: { to: 'https://a.org/x' } }, { to: { host: 'a.org' } }],
    ['run same', write, { path: 'same', content: 'same' }],
    ['run', {}, { path: 'same', content: 'same' }],
    ['Always  Folder', write, { path: { within: 'docs' } }],
    ['run', { origins: [{ source: web, nodeId: 'read', trusted: true }] }, { path: 'same', content: 'same' }],
    ['run', { origins: [{ source: web, nodeId: 'read', trusted: false }] }, undefined],
    ['run any now', write, undefined],
    ['run host', write, undefined],
    ['runs', write, undefined],
    ['never any', write, undefined],
  ])('[APR-terminal] save for the answer %j to %j: %j', async (answer, call, where) => {
    const { grant, approved, logged } = await answered([answer], [requested('1', undefined, call)]);
    const [word = ''] = answer.toLowerCase().split(' ');
    expect(grant).toEqual(where && { reach: word, decision: 'allow', where });
    expect(approved).toEqual([where !== undefined]);
    const saved = 'Approved. The permission is saved; list it with patina tools --grants.';
    expect(logged.at(-1)).toBe(where ? saved : 'Not approved.');
    expect(logged.includes(notAChoice)).toBe(where === undefined);
  });

  it.each([{ trusted: true }, { trusted: false }])(
    '[APR-terminal] approve nothing on “never”, and save it, whatever the source of the text: %j',
    async ({ trusted }) => {
      const origins = [{ source: web, nodeId: 'read', trusted }];
      const { grant, approved, logged } = await answered(['never'], cardOf(2, { origins }));
      expect(grant).toEqual({ reach: 'always', decision: 'never', where: {} });
      expect(approved).toEqual([false, false]);
      expect(logged.at(-1)).toBe(
        'Not approved. The permission is saved; list it with patina tools --grants.',
      );
    },
  );

  it.each([
    [
      'one call may contain text from an untrusted source',
      { origins: [{ source: web, nodeId: 'read', trusted: false }] },
    ],
    ['one is not a call of a server', { tool: 'ddr.accept' }],
  ])('[APR-terminal] save no permission for a card where %s', async (_, one) => {
    const card = [requested('1', 'card'), requested('2', 'card', one), requested('3', 'card')];
    const { grant, approved, logged } = await answered(['session'], card);
    expect(grant).toBeUndefined();
    expect(logged).toContain(notAChoice);
    expect(approved).toEqual([false, false, false]);
    expect(logged.join('\n')).not.toContain('run, session, always');
  });

  it('say why an answer was not taken', async () => {
    const { prompts, answerApprovals, logged, idle } = open(['y']);
    answerApprovals.mockReturnValue(err(appError('HOST', 'STATE', 'The approval is not open.')));
    prompts.onEvents([requested('1')]);
    await idle();
    expect(logged.at(-1)).toBe('HOST/STATE: The approval is not open.');
  });

  const never = '  never       never allow fs.write in this project';
  const scopes = [
    '  run, session, always: approve, and allow without asking in that scope (write with exactly these arguments unless you add a word):',
    '    same      write with exactly these arguments',
    '    any       write with any arguments',
    never,
  ];

  it('[APR-terminal] list what can be answered for one call, in quiet lines', async () => {
    const { quiet } = await answered(['n'], [requested('1')]);
    expect(quiet).toEqual([
      '  y           approve exactly this, once',
      '  n           do not approve',
      '  n: WORDS    no, instead: the model plans on with your words',
      '  e           change the arguments',
      '  x           show the exact arguments',
      ...scopes,
    ]);
  });

  it('[APR-terminal] list what can be answered for several calls, where no model planned', async () => {
    const { logged } = await answered(['n'], cardOf(2), [planMade('file')]);
    expect(logged).toEqual([
      '',
      '2 calls wait for your approval:',
      '  1  fs.write a',
      '  2  fs.write a',
      '  y           approve exactly this, once',
      '  1,3  2-5    approve only these',
      '  ? 3         show call 3',
      '  / TEXT      list the calls that contain TEXT',
      '  n           do not approve',
      '  e           change the arguments (e 2: of call 2)',
      '  x           show the exact arguments',
      ...scopes,
      'Not approved.',
    ]);
  });

  it('[APR-terminal] offer only “never” as a permission where text may be untrusted', async () => {
    const origins = [{ source: web, nodeId: 'read', trusted: false }];
    const { quiet } = await answered(['n'], [requested('1', undefined, { origins })]);
    expect(quiet.slice(-2)).toEqual(['  x           show the exact arguments', never]);
  });

  it('[APR-question] ask a question of the plan with its three answers', async () => {
    const question = { tool: 'request_user_approval', arguments: { action: 'Go on?' } };
    const { logged } = await answered(['n'], [requested('1', undefined, question)]);
    expect(logged).toEqual([
      '',
      'Go on?',
      '  y           yes',
      '  n           no',
      '  n: WORDS    no, instead: the model plans on with your words',
      'Not approved.',
    ]);
  });

  it.each<[Language, string, boolean]>([
    ['en', 'yes', true],
    ['en', 'no', false],
    ['de', 'j', true],
    ['de', 'Ja', true],
    ['de', 'y', true],
    ['de', 'nein', false],
  ])('[APR-question] read in %s %j as %j', async (language, answer, approved) => {
    const question = requested('1', undefined, { tool: 'request_user_approval' });
    const asked = await answered([answer], [question], [], language);
    expect(asked.approved).toEqual([approved]);
    expect(asked.readLine).toHaveBeenCalledOnce();
  });

  it.each<[Language, string, string]>([
    ['en', 'ja', 'Type y or yes, or n or no.'],
    ['en', 'run', 'Type y or yes, or n or no.'],
    ['de', 'jawohl', 'Type y, yes, j or ja, or n, no or nein.'],
  ])('[APR-question] say in %s after %j what they accept, and ask again', async (language, answer, hint) => {
    const question = requested('1', undefined, { tool: 'request_user_approval' });
    const { approved, grant, logged } = await answered([answer, 'y'], [question], [], language);
    expect(logged.at(-2)).toBe(hint);
    expect(grant).toBeUndefined();
    expect(approved).toEqual([true]);
  });

  it.each(['j', 'ja', 'nein'])(
    'take no German %j for a call, and none for a question beside it',
    async (answer) => {
      const question = requested('2', 'card', { tool: 'request_user_approval' });
      for (const calls of [[requested('1')], [requested('1', 'card'), question]]) {
        const { approved, logged } = await answered([answer], calls, [], 'de');
        expect(logged).toContain(notAChoice);
        expect(approved).not.toContain(true);
      }
    },
  );

  it.each([
    ['? 2', 'fs.write b'],
    ['?2', 'fs.write b'],
    ['?  12', 'fs.write l'],
    ['/ WRITE D', '   4  fs.write d'],
    ['/e k', '  11  fs.write k'],
    ['/ nothing like it', 'No call matches.'],
  ])('[APR-list] show on %j what it asks for, and ask again', async (answer, shown) => {
    const card = cardOf(12).map((call, at) => ({ ...call, arguments: { path: 'abcdefghijkl'[at] ?? '' } }));
    const { logged, approved } = await answered([answer, 'y'], card);
    const choices = logged.findIndex((line) => line.startsWith('  never'));
    expect(logged[choices + 1]).toBe(shown);
    expect(approved).not.toContain(false);
  });

  it('[APR-terminal] show the exact arguments on “X”', async () => {
    const { logged, approved } = await answered(['X', 'y'], [requested('1')]);
    expect(logged).toContain('mcp://fs.write\n{\n  "path": "a",\n  "content": "b"\n}');
    expect(approved).toEqual([true]);
  });

  it.each(['xy', 'yx', '? 3', '? 2y', 'y? 2', '? y', '/', 'y/ a', 'e 3', 'e2', 'e y', 'edit 2 y', 'needed'])(
    'take no %j for two calls of a card',
    async (answer) => {
      const { approved, logged } = await answered([answer], cardOf(2));
      expect(logged).toContain(notAChoice);
      expect(approved).toEqual([false, false]);
    },
  );

  it.each([
    ['e', '1'],
    ['Edit', '1'],
    ['e 2', '2'],
    ['edit  11', '11'],
  ])('[AGP-edit-terminal] edit on %j call %s', async (answer, approvalId) => {
    const { editApproval, readLine } = await answered([answer, '{}', 'n'], cardOf(12));
    expect(editApproval).toHaveBeenCalledExactlyOnceWith({
      approvalId,
      hash: `hash-${approvalId}`,
      arguments: {},
    });
    expect(readLine.mock.calls[1]?.[0]).toBe('Arguments, as JSON: ');
  });

  it('[AGP-edit-terminal] do not edit a question of the plan', async () => {
    const question = requested('1', undefined, { tool: 'request_user_approval' });
    expect((await answered(['e'], [question])).approved).toEqual([false]);
  });

  it('[AGP-edit-terminal] say why arguments were not taken, and ask again', async () => {
    const { prompts, editApproval, logged, idle } = open(['e', '{', 'e', '{"path":1}', 'n']);
    editApproval.mockResolvedValue(err(appError('TOOL', 'INVALID_ARGUMENTS', 'The path is not text.')));
    prompts.onEvents([requested('1')]);
    await idle();
    expect(editApproval).toHaveBeenCalledOnce();
    expect(logged.filter((line) => line === 'fs.write a')).toHaveLength(3);
    expect(logged).toContain('TOOL/INVALID_ARGUMENTS: The path is not text.');
    const choices = logged.findIndex((line) => line.startsWith('  never'));
    expect(logged[choices + 1]).toMatch(/JSON/);
  });

  it('[AGP-edit-terminal] show after an edit what the new arguments change in the file', async () => {
    const { prompts, editApproval, logged, idle } = open(['e', '{"path":"b.md"}', 'n']);
    editApproval.mockImplementation(() => {
      const now = { approvalId: '1', arguments: { path: 'b.md' }, hash: 'new' };
      const changed = { file: { ...file, path: 'b.md' }, undo: 'impossible' as const };
      prompts.onEvents([{ ...requested('1'), ...now, ...changed, type: 'approval-edited' }]);
      return Promise.resolve(ok(null));
    });
    prompts.onEvents([requested('1', undefined, { ...write, file: { ...file, path: 'docs/a.md' } })]);
    await idle();
    const again = logged.slice(logged.indexOf('filesystem.write_file b.md: +1 −1'));
    expect(again).toContain('This cannot be undone.');
    expect(again.join('\n')).not.toContain('You can undo');
  });

  it('[APR-steps] name the step that a step of the host announces', async () => {
    const titles = { approve_one: 'Approve', one: 'Write one', two: 'Write two' };
    const { logged } = await answered(
      ['n'],
      [
        requested('1', 'card', { nodeId: 'approve_one' }),
        requested('2', 'card', { nodeId: 'two' }),
        requested('3', 'card', { nodeId: 'later' }),
      ],
      [planMade('model', titles, { announces: { approve_one: 'one' } })],
    );
    expect(logged.slice(2, 5)).toEqual([
      '  1  fs.write a (Write one)',
      '  2  fs.write a (Write two)',
      '  3  fs.write a (later)',
    ]);
  });
});
