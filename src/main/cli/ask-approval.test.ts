import type { SessionEvent } from '#shared/session-event';
import type { RunState } from '#shared/session-state';
import { ok } from '#shared/result';
import { describe, expect, it, vi } from 'vitest';
import type { App } from '../app';
import { createApprovalPrompts } from './ask-approval';
import type { Terminal } from './output';
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

function open(answers: (string | null)[]) {
  const answerApprovals = vi.fn((_decisions: unknown, _wish?: unknown) => ok(null));
  const editApproval = vi.fn(() => Promise.resolve(ok(null)));
  const logged: string[] = [];
  const readLine = vi.fn((_prompt: string, options?: { signal?: AbortSignal }) =>
    answers.length > 0
      ? Promise.resolve(answers.shift() ?? null)
      : new Promise<null>((resolve) => options?.signal?.addEventListener('abort', () => resolve(null))),
  );
  const terminal = {
    log: (text: string) => logged.push(text),
    readLine,
    inTurn: createTurns(),
  } as unknown as Terminal;
  const prompts = createApprovalPrompts(
    {
      runs: {
        answer: (_place: unknown, given: unknown, wish?: unknown) =>
          wish === undefined ? answerApprovals(given) : answerApprovals(given, wish),
      },
      editApproval,
    } as unknown as App,
    terminal,
  );
  return { prompts, answerApprovals, editApproval, readLine, logged };
}

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
    const { prompts, answerApprovals, readLine } = open([]);
    prompts.onEvents([requested('1'), requested('2')]);
    await vi.waitFor(() => expect(readLine).toHaveBeenCalledOnce(), 15_000);
    prompts.close();
    await Promise.all(readLine.mock.results.map(({ value }) => value as Promise<unknown>));
    expect(answerApprovals).not.toHaveBeenCalled();
    expect(readLine).toHaveBeenCalledOnce();
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
});
