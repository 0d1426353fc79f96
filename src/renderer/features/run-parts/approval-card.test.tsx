import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FileChange } from '#shared/file-change';
import type { ApprovalState } from '#shared/session-state';
import { ApprovalCard } from './approval-card';

afterEach(cleanup);

const change = (path: string): FileChange => ({
  kind: 'text',
  path,
  hash: 'h',
  exists: true,
  added: 1,
  removed: 1,
  omitted: 0,
  hunks: [
    {
      oldStart: 41,
      newStart: 41,
      lines: [
        { kind: 'same', text: 'kept' },
        { kind: 'removed', text: 'old line' },
        { kind: 'added', text: 'new line' },
      ],
    },
  ],
});

const write = (at: number, more: Partial<ApprovalState> = {}): ApprovalState => ({
  approvalId: `a${at}`,
  nodeId: 'n',
  tool: 'mcp://filesystem.write_file',
  arguments: { path: `docs/${at}.md`, content: 'kept\nnew line' },
  hash: `h${at}`,
  status: 'open',
  card: 'c',
  file: change(`docs/${at}.md`),
  undo: 'possible',
  ...more,
});

function draw(
  approvals: readonly ApprovalState[],
  steps = new Map([['n', 'Write']]),
  more: Pick<ComponentProps<typeof ApprovalCard>, 'onEdit'> = {},
) {
  const onAnswer = vi.fn();
  render(<ApprovalCard planned approvals={approvals} steps={steps} onAnswer={onAnswer} {...more} />);
  const card = screen.getByRole('group', { name: /^(Approval needed|Question): Write/ });
  return { card, onAnswer };
}

/** A button by the words it shows; an answer's name adds the call it answers. */
const button = (card: HTMLElement, words: string) =>
  within(card).getByRole('button', { name: (name) => name === words || name.startsWith(`${words}: `) });
const approvedIn = (onAnswer: ReturnType<typeof vi.fn>): readonly string[] => {
  const [answers] = onAnswer.mock.calls[0] as [readonly { approvalId: string; approved: boolean }[]];
  return answers.flatMap(({ approvalId, approved }) => (approved ? [approvalId] : []));
};

describe('a card for one call', () => {
  it('[APR-card] shows a file write as old and new lines with numbers, and the exact arguments on request', () => {
    const { card } = draw([write(1)]);
    const diff = within(card).getByRole('group', { name: 'Change of docs/1.md' });
    expect(diff.textContent).toContain('40 unchanged lines');
    expect(diff.textContent).toMatch(/4141 kept.*42−Removed:?\s*old line.*42\+Added:?\s*new line/i);
    expect(card.textContent).toContain('You can undo this write.');
    expect(card.textContent).not.toContain('\\n');
    fireEvent.click(button(card, 'Show exact arguments'));
    expect(within(card).getByLabelText('Arguments').textContent).toContain('kept\\nnew line');
  });

  it('[APR-card] shows long exact arguments whole on request', () => {
    const content = `${'kept line\n'.repeat(4_000)}the last line`;
    const { card } = draw([write(1, { arguments: { path: 'docs/1.md', content } })]);
    fireEvent.click(button(card, 'Show exact arguments'));
    const shown = within(card).getByLabelText('Arguments');
    expect(shown.textContent).toMatch(/… [\d,]+ more characters$/);
    fireEvent.click(button(card, 'Show all arguments'));
    expect(JSON.parse(shown.textContent)).toEqual({ path: 'docs/1.md', content });
    expect(within(card).queryByRole('button', { name: 'Show all arguments' })).toBeNull();
  });

  it('[APR-card] hides nothing by the direction of text: a name, a line, a source and an argument read as they are', () => {
    const name = 'docs/photo_\u202Egpj.exe';
    const arguments_ = { path: name, content: 'a = 1; // \u202E ;b' };
    const file: FileChange = {
      ...(change(name) as Extract<FileChange, { kind: 'text' }>),
      hunks: [{ oldStart: 1, newStart: 1, lines: [{ kind: 'added', text: arguments_.content }] }],
    };
    const sources = {
      origins: [{ source: `attached: ${name}`, nodeId: 'n', trusted: false }],
      flows: [{ from: `attached: ${name}`, to: 'files' }],
    };
    const approval = write(1, { arguments: arguments_, file, ...sources });
    const { card } = draw([approval], undefined, { onEdit: vi.fn() });
    fireEvent.click(button(card, 'Show exact arguments'));
    expect(card.textContent).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    expect(card.textContent).toContain('a = 1; // \\u202e ;b');
    expect(card.textContent).toContain('"path": "docs/photo_\\u202egpj.exe"');
    fireEvent.click(button(card, 'Edit before approving'));
    const editor = within(card).getByLabelText<HTMLTextAreaElement>('Arguments to change');
    expect(JSON.parse(editor.value)).toEqual(arguments_);
    expect(editor.value).not.toContain('\u202E');
  });

  it('[APR-form] shows other arguments as a form: labels, line breaks, lists, and names of ids', () => {
    const { card } = draw([
      {
        approvalId: 'a',
        nodeId: 'n',
        tool: 'mcp://shop.exchange',
        arguments: {
          order_id: 'W17',
          note: 'one\ntwo',
          itemIds: ['L-1'],
          when: '2026-11-23',
          to: { zip: 1 },
        },
        hash: 'h',
        status: 'open',
        undo: 'impossible',
        names: [{ value: 'L-1', name: 'Desk lamp', source: 'mcp://shop.orders' }],
        labels: { order_id: 'The order' },
      },
    ]);
    const labels = within(card)
      .getAllByRole('term')
      .map(({ textContent }) => textContent);
    expect(labels).toEqual(['The order', 'Note', 'Item ids', 'When', 'To', 'Zip']);
    expect(within(card).getByLabelText('Text').textContent).toBe('one\ntwo');
    expect(card.textContent).toContain('L-1Desk lamp (from shop.orders)');
    expect(card.textContent).toContain('This cannot be undone.');
  });

  it('[APR-sources] names the tools whose results an argument repeats', () => {
    const sources = [{ argument: 'to', tools: ['mcp://shop.users', 'mcp://shop.orders'] }];
    const args = { to: 'a@b.c', constructor: 'plain' };
    const { card } = draw([
      {
        approvalId: 'a',
        nodeId: 'n',
        tool: 'mcp://mail.send',
        arguments: args,
        hash: 'h',
        status: 'open',
        sources,
        labels: {},
      },
    ]);
    const [first, second] = within(card).getAllByRole('definition');
    expect(first?.textContent).toBe('a@b.cfrom shop.users, shop.orders');
    expect(second?.textContent).toBe('plain');
    expect(within(card).getAllByRole('term')[1]?.textContent).toBe('Constructor');
  });

  it('[APR-instead] sends the text of “No, instead …” with the refusal', () => {
    const { card, onAnswer } = draw([write(1)]);
    fireEvent.click(button(card, 'No, instead …'));
    const field = within(card).getByLabelText('What to do instead');
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(onAnswer).not.toHaveBeenCalled();
    fireEvent.change(field, { target: { value: ' Only the title. ' } });
    fireEvent.keyDown(field, { key: 'Enter' });
    const said = 'Only the title.';
    expect(onAnswer.mock.calls).toEqual([[[{ approvalId: 'a1', hash: 'h1', approved: false, said }]]]);
  });

  it('[APR-question] shows a question of the plan as a question', () => {
    const question = { action: 'Which folder?', inputs: {}, arguments: { folder: 'docs' } };
    const asked: ApprovalState = {
      ...{ approvalId: 'a', nodeId: 'n', hash: 'h', status: 'open' },
      tool: 'request_user_approval',
      arguments: question,
    };
    const { card, onAnswer } = draw([asked]);
    expect(card.textContent).toContain('Which folder?');
    expect(card.textContent).toContain('Folderdocs');
    expect(card.textContent).not.toContain('request_user_approval');
    expect(within(card).queryByLabelText('Remember this answer')).toBeNull();
    fireEvent.click(button(card, 'Yes'));
    expect(approvedIn(onAnswer)).toEqual(['a']);
  });

  it('[APR-question] shows a control of direction in a question as its code', () => {
    const asked: ApprovalState = {
      ...{ approvalId: 'a', nodeId: 'n', hash: 'h', status: 'open' },
      tool: 'request_user_approval',
      arguments: { action: 'Delete \u202Egpj.exe?', inputs: {} },
    };
    const { card } = draw([asked]);
    expect(card.textContent).toContain('Delete \\u202egpj.exe?');
    expect(card.textContent).not.toContain('\u202E');
  });

  it('[APR-form] shows a long text and a long list whole on request', () => {
    const { file: _file, ...call } = write(1, {
      tool: 'mcp://mail.send',
      arguments: {
        body: `${'a'.repeat(30_000)} the end`,
        subject: 'Hi',
        tags: Array.from({ length: 60 }, (_, at) => `tag-${at}`),
      },
    });
    const { card } = draw([call]);
    expect(card.textContent).not.toContain('the end');
    expect(card.textContent).toContain('… 10,008 more characters');
    expect(card.textContent).not.toContain('tag-59');
    for (const all of within(card).getAllByRole('button', { name: 'Show all' })) fireEvent.click(all);
    expect(card.textContent).toContain(' the end');
    expect(card.textContent).toContain('tag-59');
    expect(within(card).queryByRole('button', { name: 'Show all' })).toBeNull();
  });

  it('[APR-scope] names only the calls that a permission will cover', () => {
    const { file: _file, ...bare } = write(1, { tool: 'mcp://box.clear', arguments: {} });
    const { card } = draw([bare, write(2)]);
    fireEvent.change(within(card).getByLabelText('Remember this answer'), { target: { value: 'session' } });
    const covers = within(card).getByText(/only when path = /);
    expect(covers.textContent).toContain('filesystem.write_file');
    expect(covers.textContent).not.toContain('box.clear');
  });

  it('[APR-scope] offers the narrow scope first, in words, and saves exactly that', () => {
    const { card, onAnswer } = draw([write(1)]);
    fireEvent.change(within(card).getByLabelText('Remember this answer'), { target: { value: 'session' } });
    expect(within(card).getByLabelText<HTMLSelectElement>('Allow without asking').value).toBe('folder');
    expect(card.textContent).toContain('only when path is in docs/**');
    fireEvent.click(button(card, 'Approve and remember'));
    expect(onAnswer.mock.calls[0]?.[1]).toEqual({
      reach: 'session',
      decision: 'allow',
      where: { path: { within: 'docs' } },
    });
  });
});

it('a file without a line break at its end is noted in the language of the window', () => {
  const noted = change('a.txt') as Extract<FileChange, { kind: 'text' }>;
  const lines: (typeof noted.hunks)[0]['lines'] = [
    { kind: 'added', text: 'last' },
    { kind: 'note', text: ' No newline at end of file' },
  ];
  const { card } = draw([write(1, { file: { ...noted, hunks: [{ oldStart: 1, newStart: 1, lines }] } })]);
  expect(card.textContent).toContain('No line break at the end of the file');
  expect(card.textContent).not.toContain('newline');
});

it('a new file in a missing folder says before the approval that the call fails without the folder', () => {
  const added = { ...(change('new/a.txt') as Extract<FileChange, { kind: 'text' }>), exists: false };
  const warning = /folder does not exist yet/;
  const { card } = draw([write(1, { file: { ...added, noFolder: true } })]);
  expect(within(card).getByText(warning)).toBeTruthy();
  cleanup();
  expect(within(draw([write(1, { file: added })]).card).queryByText(warning)).toBeNull();
});

describe('[APR-list] a card for many calls', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => write(at));
  const rows = (card: HTMLElement) => within(card).getAllByRole('checkbox');

  it('[APR-steps] names the step of each call when parallel steps ask together, and filters by it', () => {
    const steps = new Map([
      ['n', 'Write'],
      ['m', 'Tidy'],
    ]);
    const { card, onAnswer } = draw([write(1), write(2, { nodeId: 'm' })], steps);
    expect(card.getAttribute('aria-label')).toBe('Approval needed: Write · Tidy');
    const rows = () => within(card).getAllByRole('listitem');
    const named = rows().map((row) => ['Write', 'Tidy'].filter((step) => row.textContent.includes(step)));
    expect(named).toEqual([['Write'], ['Tidy']]);
    fireEvent.change(within(card).getByRole('searchbox'), { target: { value: 'tidy' } });
    expect(rows()).toHaveLength(1);
    fireEvent.click(within(card).getByRole('checkbox'));
    fireEvent.click(button(card, 'Approve 1 of 2'));
    expect(approvedIn(onAnswer)).toEqual(['a1']);
  });

  it('lists one line per target, which can be ticked, expanded, filtered and approved by keyboard', () => {
    const { card, onAnswer } = draw(many(40));
    expect(rows(card)).toHaveLength(40);
    expect(card.textContent).toContain('docs/7.md+1 −1');
    const [first] = rows(card);
    if (!first) throw new Error('The list is empty.');
    first.focus();
    fireEvent.keyDown(first, { key: 'ArrowDown' });
    const second = document.activeElement as HTMLElement;
    expect(second).toBe(rows(card)[1]);
    fireEvent.click(second);
    fireEvent.keyDown(second, { key: 'ArrowRight' });
    expect(within(card).getByRole('group', { name: 'Change of docs/1.md' })).toBeTruthy();
    fireEvent.keyDown(second, { key: 'ArrowLeft' });
    expect(within(card).queryByRole('group', { name: 'Change of docs/1.md' })).toBeNull();
    fireEvent.keyDown(second, { key: '/' });
    const filter = within(card).getByLabelText('Filter the calls');
    expect(document.activeElement).toBe(filter);
    fireEvent.change(filter, { target: { value: '/3' } });
    expect(rows(card)).toHaveLength(11);
    fireEvent.click(button(card, 'Tick none'));
    fireEvent.keyDown(filter, { key: 'Escape' });
    expect(rows(card)).toHaveLength(40);
    fireEvent.click(button(card, 'Approve 28 of 40'));
    expect(approvedIn(onAnswer)).toHaveLength(28);
    expect(approvedIn(onAnswer)).not.toContain('a1');
    expect(approvedIn(onAnswer)).not.toContain('a33');
  });

  it('remembers no answer once a call is ticked that cannot be approved ahead', () => {
    const origins = [{ source: 'mcp://web.fetch', nodeId: 'n', trusted: false }];
    const { card, onAnswer } = draw([write(1), write(2, { origins })]);
    const [, untrusted] = rows(card);
    if (!untrusted) throw new Error('The list is too short.');
    fireEvent.click(untrusted);
    fireEvent.change(within(card).getByLabelText('Remember this answer'), { target: { value: 'always' } });
    fireEvent.click(untrusted);
    fireEvent.click(button(card, 'Approve 2 of 2'));
    expect(onAnswer.mock.calls[0]).toHaveLength(1);
  });

  it('draws 400 calls without drawing unopened ones', () => {
    const { card } = draw(many(400));
    expect(rows(card)).toHaveLength(400);
    expect(card.querySelectorAll('pre, [role="group"]')).toHaveLength(0);
  });
});
