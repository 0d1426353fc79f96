import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import { turnAt } from '#shared/session-state';
import { withUnknownOutcome } from '#shared/unknown-outcome';
import { runFacts, sampleHash, samplePlan, sampleUsage, sessionOf } from '../../../testing/sample-session';
import { createWindowBridge } from '../../../testing/window-bridge';
import { AppContext } from '../../store/app-context';
import { createDrafts } from '../../store/drafts';
import { createSessionMirror } from '../../store/session-mirror';
import { createCommands, type WindowApp } from '../../store/start-window';
import { createView } from '../../store/view-state';
import { RunCard } from './run-card';
import { RunReceipt } from '../run-parts/run-receipt';
import { AsksBack, RanOut } from './run-ending';

const run = { turn: 0, runId: 'run-0' };
const ended = (
  outcome: 'done' | 'partial' | 'failed' | 'cancelled' | 'answered',
  more: object = {},
): SessionFact => ({
  type: 'run-ended',
  ...run,
  outcome,
  answer: '',
  usage: sampleUsage,
  ...more,
});

const actions = () => ({
  onRegenerate: vi.fn(),
  readItem: vi.fn(),
  onEdit: vi.fn(),
  unsentEdit: vi.fn(),
  saveEdit: vi.fn(),
  onSendEdited: vi.fn(),
  onOtherModel: vi.fn(),
  onChooseBranch: vi.fn(),
  onAnnounce: vi.fn(),
  onFork: vi.fn(),
  onGoBackTo: vi.fn(),
  onStop: vi.fn(),
  onOpenInspector: vi.fn(),
  onSaveRecipe: vi.fn(),
  onShowSent: vi.fn(),
  onAnswerApproval: vi.fn(),
  onEditApproval: vi.fn(),
  onRun: vi.fn(),
  onOpenLink: vi.fn(),
  onCopy: vi.fn(),
});

/** The window's parts, for what a card does itself: undoing. */
function windowParts(): WindowApp {
  const { bridge } = createWindowBridge();
  const mirror = createSessionMirror({ bridge, onFrame: (callback) => queueMicrotask(callback) });
  const view = createView();
  const drafts = createDrafts({ storage: window.localStorage, defer: (callback) => callback() });
  return { mirror, view, drafts, commands: createCommands({ bridge, mirror, view, drafts }) };
}

function draw(facts: readonly SessionFact[], live?: string) {
  const turn = turnAt(sessionOf(facts), 0);
  if (!turn) throw new Error('The sample has no turn.');
  const asked = actions();
  render(
    <AppContext value={windowParts()}>
      <RunCard turn={turn} useLive={() => live} {...asked} />
    </AppContext>,
  );
  return asked;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(1_020_000);
});
afterEach(() => {
  cleanup();
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe('RunCard', () => {
  it('[STG-window] shows the stages of a run one after another, each with its nodes', () => {
    const stage = (id: string, more: object): SessionFact => ({
      type: 'plan-made',
      ...run,
      plan: {
        goal: 'Count',
        constraints: [],
        nodes: [{ id, title: `Title of ${id}`, kind: 'script', deps: [], code: '' }],
        answer: '',
      },
      planHash: sampleHash,
      source: 'model',
      ...more,
    });
    const done = (nodeId: string): SessionFact => ({
      type: 'node-ended',
      ...run,
      nodeId,
      status: 'done',
      summary: `${nodeId} is done`,
      cached: false,
    });
    const begun = runFacts().filter(({ type }) => type === 'message-sent' || type === 'run-started');
    const looked = [...begun, stage('one', { look: true }), done('one')];
    draw(looked);
    expect(screen.getByText(/· reading the results, planning the next stage$/)).toBeTruthy();
    cleanup();
    draw([...looked, stage('two', { stage: 2 })]);
    expect(screen.queryByText(/planning the next stage/)).toBeNull();
    expect(screen.getByRole('region', { name: 'Stage 1' }).textContent).toContain('one is done');
    expect(screen.getByRole('region', { name: 'Stage 2' }).textContent).toContain('Title of two');
    expect(screen.getByRole('region', { name: 'Stage 2' }).textContent).not.toContain('Title of one');
    cleanup();
    const failed = { ...done('one'), status: 'failed' as const, summary: 'the door is shut' } as SessionFact;
    const again = [...begun, stage('one', {}), failed, stage('one', { stage: 2 }), done('one')];
    draw(again);
    const [first, second] = ['Stage 1', 'Stage 2'].map((name) => screen.getByRole('region', { name }));
    expect(first?.textContent).toContain('the door is shut');
    expect(first?.textContent).not.toContain('one is done');
    expect(first && within(first).queryByRole('button')).toBeNull();
    expect(second?.textContent).toContain('one is done');
  });

  it('[AGENT-thinking-live] shows what the model thinks while it plans, folded and as plain text', () => {
    const begun = runFacts().filter(({ type }) => type === 'message-sent' || type === 'run-started');
    draw(begun, 'First the <b>folders</b>.');
    const thinking = screen.getByText('Thinking…').closest('details');
    expect(thinking?.open).toBe(false);
    expect(thinking?.textContent).toContain('First the <b>folders</b>.');
    cleanup();
    draw([...runFacts(), ended('done')], 'First the <b>folders</b>.');
    expect(screen.queryByText('Thinking…')).toBeNull();
  });

  it('[LLM-limit-wait] offers another model where a provider refused a run or one of its steps', () => {
    const error = appError('LLM', 'RATE_LIMITED', 'The provider accepts no more requests right now.');
    const other = () => screen.queryByRole('button', { name: 'Other model…' });
    const refused = draw([...runFacts(), ended('failed', { error })]);
    fireEvent.click(screen.getByRole('button', { name: 'Other model…' }));
    expect(refused.onOtherModel).toHaveBeenCalledWith(0);
    cleanup();
    draw([...runFacts(), ended('failed', { error: appError('TOOL', 'FAILED', 'No.') })]);
    expect(other()).toBeNull();
    cleanup();
    const delayed: SessionFact = { type: 'reply-delayed', turn: 0, error, waitMs: 5_000 };
    const waits = draw([...runFacts(), delayed]);
    fireEvent.click(screen.getByRole('button', { name: 'Other model…' }));
    expect(waits.onOtherModel).toHaveBeenCalledWith(0);
    cleanup();
    const write = { callId: 'w', nodeId: 'write', tool: 'mcp://box.put', arguments: {}, hash: sampleHash };
    draw([...runFacts(), { type: 'write-intended', ...run, ...write }, delayed]);
    expect(other()).toBeNull();
  });

  it('[STG-delay-shown] says why a model call waits, until the run continues', () => {
    const error = appError('LLM', 'RATE_LIMITED', 'The provider accepts no more requests right now.');
    const begun = runFacts().filter(({ type }) => type === 'message-sent' || type === 'run-started');
    const delayed: SessionFact = { type: 'reply-delayed', turn: 0, error, waitMs: 5_000 };
    draw([...begun, delayed]);
    expect(screen.getByText(/accepts no more requests right now/)).toBeTruthy();
    cleanup();
    draw([...begun, delayed, { type: 'planning-started', ...run, declared: '' }]);
    expect(screen.queryByText(/accepts no more requests right now/)).toBeNull();
  });

  it('[STG-text] shows text of the model as a reply, without a run and without an error', () => {
    draw([...runFacts().slice(0, 3), ended('answered', { answer: 'Which **one**?', asks: true })]);
    expect(screen.getByText('one').tagName).toBe('STRONG');
    expect(screen.queryByRole('region')).toBeNull();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('[REC-window] offers to save only a completed run', () => {
    const over = draw([...runFacts(), ended('done')]);
    fireEvent.click(screen.getByRole('button', { name: 'Save as recipe' }));
    expect(over.onSaveRecipe).toHaveBeenCalledWith(0);
    cleanup();
    draw([...runFacts(), ended('partial')]);
    expect(screen.queryByRole('button', { name: 'Save as recipe' })).toBeNull();
  });

  it('counts nodes, time and calls, and shows the current one', () => {
    draw(runFacts().slice(0, -2));
    expect(screen.getByText(/^2\/3 steps · .* · 1 call/)).toBeTruthy();
  });

  const attemptFailed = (waitMs: number): SessionFact => ({
    type: 'attempt-failed',
    ...run,
    nodeId: 'hash',
    waitMs,
    error: appError('TOOL', 'UNAVAILABLE', 'The server ended.', { retryable: true }),
  });
  const hashing = runFacts().slice(0, 7);

  it('[EXE-retry-shown] says that a step waits for a retry, how long, and why', () => {
    draw([...hashing, attemptFailed(60_000)]);
    const shown = screen.getByRole('list', { name: 'Failed attempts' }).textContent;
    expect(shown).toMatch(/^Attempt 1 failed\..*The server ended\. Tries again in \d+ s\.$/);
  });

  it('[MAP-progress] says how many items of a step are done while it runs', () => {
    draw([...hashing, { type: 'node-progressed', ...run, nodeId: 'hash', done: 12, of: 60 }]);
    expect(screen.getByText('12 of 60 items')).toBeTruthy();
  });

  it('[EXE-retry-shown] keeps the error of the first attempt beside the outcome of the second', () => {
    draw([...hashing, attemptFailed(0), ...runFacts().slice(6, 8)]);
    const shown = screen.getByRole('list', { name: 'Failed attempts' }).textContent;
    expect(shown).toMatch(/^Attempt 1 failed\..*The server ended\. $/);
  });

  it('shows the exact arguments and answers with their hash', () => {
    const asked = draw(runFacts());
    const card = screen.getByRole('group', { name: /Approval needed/ });
    fireEvent.click(within(card).getByRole('button', { name: 'Show exact arguments' }));
    const shown = within(card).getByLabelText('Arguments').textContent ?? '';
    expect(JSON.parse(shown)).toEqual({ path: 'report.md', content: '# 12 files' });
    fireEvent.click(within(card).getByRole('button', { name: /^Deny: / }));
    expect(asked.onAnswerApproval).toHaveBeenCalledExactlyOnceWith({
      runId: 'run-0',
      answers: [{ approvalId: 'approval-1', hash: sampleHash, approved: false }],
    });
  });

  it('takes the focus, and accepts Enter as a yes, but not an Enter already being pressed', () => {
    const asked = draw(runFacts());
    const card = screen.getByRole('group', { name: /Approval needed/ });
    expect(document.activeElement).toBe(card);
    fireEvent.keyDown(card, { key: 'Enter' });
    expect(asked.onAnswerApproval).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    fireEvent.keyDown(card, { key: 'Enter' });
    expect(asked.onAnswerApproval).toHaveBeenCalledWith(
      expect.objectContaining({ answers: [expect.objectContaining({ approved: true })] }),
    );
  });

  it('never takes the focus from a user who is typing', () => {
    const field = document.createElement('textarea');
    field.value = 'half a sentence';
    document.body.append(field);
    field.focus();
    draw(runFacts());
    expect(document.activeElement).toBe(field);
  });

  it('asks nothing after the run has ended', () => {
    draw([...runFacts(), ended('cancelled')]);
    expect(screen.queryByRole('button', { name: /^Approve: / })).toBeNull();
    expect(screen.getByText(/The results so far are kept/)).toBeTruthy();
  });

  it('[PLN-earlier] says that the plan is an earlier one, and offers to plan again', () => {
    const planned = runFacts().slice(0, 3);
    const facts = planned.map((fact) =>
      fact.type === 'plan-made' ? { ...fact, source: 'earlier' as const, recipeId: undefined } : fact,
    );
    const over = draw([...facts, ended('done')]);
    expect(screen.getByText(/an earlier plan for this goal/)).toBeDefined();
    fireEvent.click(screen.getByRole('button', { name: 'Make a new plan' }));
    expect(over.onRegenerate).toHaveBeenCalledWith(0, { planAnew: true });
    cleanup();
    draw([...runFacts(), ended('done')]);
    expect(screen.queryByRole('button', { name: 'Make a new plan' })).toBeNull();
  });

  it.each([
    ['file', undefined, 'a tool chosen by the model'],
    ['recipe', 'count-files', 'recipe count-files, chosen by the model'],
  ] as const)('[LOCAL-recipe] says of a %s that a model chose it', (source, recipeId, words) => {
    const suggestion: SessionFact = {
      ...{ type: 'plan-proposed', ...run, stage: 1, plan: samplePlan, planHash: 'p', source, recipeId },
      suggested: true,
    };
    const facts = runFacts().slice(0, 3);
    const made = facts.map((fact) => (fact.type === 'plan-made' ? { ...fact, source, recipeId } : fact));
    draw([...made.slice(0, 2), suggestion, ...made.slice(2), ended('done')]);
    expect(screen.getByText(new RegExp(`· ${words}$`))).toBeDefined();
  });

  it('[TREE-rerun] cancels during the run, and runs again in its place afterwards', () => {
    const running = draw(runFacts());
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(running.onStop).toHaveBeenCalledWith(0);
    cleanup();
    const over = draw([...runFacts(), ended('cancelled')]);
    fireEvent.click(screen.getByRole('button', { name: 'Run again' }));
    expect(over.onRegenerate).toHaveBeenCalledWith(0, { planAnew: false });
  });

  it('shows a failure once at the node and once below, and the next step once', () => {
    const error = appError('BUDGET', 'CPU_LIMIT', 'Stopped after 1,000 ms.', {
      hint: 'Ask for a smaller folder.',
    });
    const failed: SessionFact = {
      type: 'node-ended',
      ...run,
      nodeId: 'write',
      status: 'failed',
      summary: error.message,
      cached: false,
      error,
    };
    draw([...runFacts(), failed, ended('failed', { error })]);
    expect(screen.getAllByText(/Stopped after 1,000 ms\./)).toHaveLength(2);
    expect(screen.getAllByText(/Ask for a smaller folder\./)).toHaveLength(1);
  });

  it('[UI-declined] shows a declined step, its approval and the run as declined, not as failed', () => {
    const error = appError('POLICY', 'APPROVAL_DENIED', 'mcp://files.write_file was not approved.');
    const end = (nodeId: string, summary: string): SessionFact => ({
      ...{ type: 'node-ended', ...run, nodeId, status: 'failed', summary, cached: false },
      ...(nodeId === 'write' && { error }),
    });
    const facts = runFacts()
      .filter((fact) => fact.type !== 'node-ended' || fact.nodeId !== 'hash')
      .map((fact) => (fact.type === 'plan-made' ? { ...fact, announces: { hash: 'write' } } : fact));
    const ends = [end('write', error.message), end('hash', 'Not approved.'), ended('failed', { error })];
    draw([...facts, ...ends]);
    const words = screen.getByRole('region', { name: 'Run' }).textContent ?? '';
    expect(words.match(/Declined/g)).toHaveLength(3);
    expect(words).not.toContain('Failed');
    expect(document.querySelector('[class*=danger]')).toBeNull();
  });

  it('tells of a no calmly, without the red card and its code', () => {
    const error = appError('POLICY', 'APPROVAL_DENIED', 'mcp://files.write_file was not approved.');
    const { onRegenerate } = draw([...runFacts(), ended('failed', { error })]);
    expect(screen.getByText(/^This was refused\. The call was not made\./)).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'This was refused' })).toBeNull();
    expect(screen.queryByText(/POLICY\/APPROVAL_DENIED/)).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Run again' }));
    expect(onRegenerate).toHaveBeenCalledWith(0, { planAnew: false });
    cleanup();
    const hint = 'This run approves no writes.';
    draw([...runFacts(), ended('failed', { error: { ...error, hint } })]);
    expect(screen.getByText(`${error.message} ${hint}`)).toBeTruthy();
  });

  it('shows the answer as markdown once it is done, the nodes folded', () => {
    draw([...runFacts().slice(0, -1), ended('done', { answer: '**12** files' })]);
    expect(screen.getByText('12').tagName).toBe('STRONG');
    expect(screen.queryByText('12 hashes')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Show 3 steps' }));
    expect(screen.getByText('12 hashes')).toBeTruthy();
  });

  it('[H58] names a write with an unknown outcome, and says that it is not repeated', () => {
    const intended: SessionFact = {
      type: 'write-intended',
      ...run,
      nodeId: 'write',
      callId: 'w1',
      tool: 'mcp://filesystem.write_file',
      arguments: { path: 'report.md' },
      hash: sampleHash,
    };
    draw([...runFacts(), intended, { type: 'run-interrupted', ...run }]);
    expect(screen.getByText(/outcome of this write is unknown, so Patina does not repeat it/)).toBeTruthy();
    const unknown = within(screen.getByRole('region', { name: 'Outcome unknown' }));
    expect(unknown.getByText(/"path": "report.md"/)).toBeTruthy();
    expect(unknown.getByText('Patina was closed while this call was running.')).toBeTruthy();
    // The third node had not started, so it does not count as done.
    expect(screen.getByText(/^[0-2]\/3 steps · /)).toBeTruthy();
    // A rerun of the whole run could repeat the write.
    for (const name of ['Retry', 'Run again', 'Resume'])
      expect(screen.queryByRole('button', { name })).toBeNull();
  });

  it('[H58] reports the unknown outcome once, asks, and offers to resume only once it is answered', () => {
    const about = { ...run, nodeId: 'write' };
    const error = appError('TOOL', 'UNAVAILABLE', withUnknownOutcome('Server "files" was killed.'), {
      outcome: 'unknown',
      hint: 'Check whether it happened before you repeat it.',
    });
    const call = { callId: 'w1', tool: 'mcp://files.write_file', argumentsPreview: '{}', ms: 3, bytes: 0 };
    const lost: SessionFact[] = [
      ...runFacts(),
      { type: 'write-intended', ...about, callId: 'w1', tool: call.tool, arguments: {}, hash: sampleHash },
      { type: 'tool-called', ...about, call: { ...call, outcome: 'unknown', error } },
      { type: 'node-ended', ...about, status: 'failed', summary: error.message, cached: false, error },
      ended('failed', { error, answer: 'Not everything could be done.' }),
    ];
    draw(lost);
    expect(document.body.textContent.match(/is unknown, so|Whether it happened/g)).toHaveLength(1);
    expect(screen.getAllByText(/was killed/)).toHaveLength(1);
    expect(screen.getAllByText('TOOL/UNAVAILABLE')).toHaveLength(1);
    for (const name of ['Retry', 'Run again', 'Resume'])
      expect(screen.queryByRole('button', { name })).toBeNull();
    cleanup();
    const after = draw([...lost, { type: 'write-settled', ...run, callId: 'w1', outcome: 'done' }]);
    expect(document.body.textContent).not.toMatch(/unknown|Look whether/);
    fireEvent.click(screen.getByRole('button', { name: 'Resume' }));
    expect(after.onRun).toHaveBeenCalledWith(0, { type: 'again' });
  });

  const write = (callId: string, path: string): SessionFact => ({
    type: 'write-intended',
    ...run,
    nodeId: 'write',
    callId,
    tool: 'mcp://filesystem.write_file',
    arguments: { path },
    hash: sampleHash,
  });
  const called = (callId: string, outcome: 'done' | 'failed'): SessionFact => ({
    type: 'tool-called',
    ...run,
    nodeId: 'write',
    call: {
      callId,
      tool: 'mcp://filesystem.write_file',
      argumentsPreview: '{}',
      outcome,
      ms: 1,
      bytes: 0,
      ...(outcome === 'failed' && { error: appError('TOOL', 'FAILED', 'The disk is full.') }),
    },
  });
  const refusal: SessionFact = {
    type: 'write-refused',
    ...run,
    nodeId: 'write',
    callId: 'r',
    tool: 'mcp://filesystem.write_file',
    target: 'notes.md',
    layer: 'approval',
  };
  const rowsOf = (): readonly string[] =>
    within(screen.getByRole('region', { name: 'Writes' }))
      .queryAllByRole('listitem')
      .map(({ textContent }) => textContent);

  it('[LED-shown] lists the writes under the answer with their outcomes, once', () => {
    const list =
      'Some writes were not made. 3 writes: 1 made, 1 refused, 1 failed.\n\n- made: filesystem.write_file a.md';
    const words = 'One note is there.\n\n';
    draw([
      ...[...runFacts(), write('1', 'a.md'), called('1', 'done'), refusal],
      ...[write('2', 'b.md'), called('2', 'failed')],
      ended('partial', { answer: `${words}${list}`, writesFrom: words.length }),
    ]);
    expect(rowsOf()).toEqual([
      'Madea.mdfilesystem.write_file',
      'Refusednotes.md · not approvedfilesystem.write_file',
      'Failedb.md · A tool failedfilesystem.write_file',
    ]);
    expect(screen.getByText('1 of 3 writes made')).toBeTruthy();
    expect(screen.queryByText(/3 writes: 1 made/)).toBeNull();
    expect(screen.getByText('One note is there.')).toBeTruthy();
    expect(screen.queryByText(/Some writes were not made\. 3/)).toBeNull();
  });

  it('[UNDO-window] counts undone writes in the heading', () => {
    const undone = (callId: string): SessionFact => ({
      type: 'write-undone',
      ...run,
      callId,
      result: 'restored',
    });
    const two = [write('1', 'a.md'), called('1', 'done'), write('2', 'b.md'), called('2', 'done')];
    draw([...runFacts(), ...two, ended('done'), undone('1')]);
    expect(screen.getByText('2 writes made · 1 undone')).toBeTruthy();
    cleanup();
    draw([...runFacts(), ...two, ended('done'), undone('1'), undone('2')]);
    expect(screen.getByText('2 writes undone')).toBeTruthy();
  });

  it('[LED-shown] folds many writes, keeps failed ones visible, and unfolds', () => {
    const many = Array.from({ length: 12 }, (_, at) => [write(`w${at}`, `f${at}`), called(`w${at}`, 'done')]);
    draw([...runFacts(), refusal, ...many.flat(), ended('partial')]);
    expect(rowsOf()).toEqual(['Refusednotes.md · not approvedfilesystem.write_file']);
    fireEvent.click(screen.getByRole('button', { name: '12 of 13 writes made · show' }));
    expect(rowsOf()).toHaveLength(13);
    cleanup();
    draw([...runFacts(), ...many.flat(), ended('done')]);
    expect(screen.getByRole('button', { name: '12 writes made · show' })).toBeTruthy();
    cleanup();
    draw([...runFacts(), ...many.flat()]);
    expect(screen.queryByRole('region', { name: 'Writes' })).toBeNull();
  });
});

describe('RanOut', () => {
  it('[STG-continue] says which limit was reached, and its button continues the run', () => {
    const turn = turnAt(sessionOf([...runFacts(), ended('partial', { ranOut: 'tokens' })]), 0);
    const onContinue = vi.fn();
    if (turn?.run) render(<RanOut run={turn.run} onContinue={onContinue} />);
    expect(screen.getByText(/model tokens of this run are used up/)).toBeDefined();
    fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
    expect(onContinue).toHaveBeenCalledOnce();
  });

  it('[STG-continue] offers nothing after a run that reached no limit', () => {
    const turn = turnAt(sessionOf([...runFacts(), ended('done')]), 0);
    if (turn?.run) render(<RanOut run={turn.run} onContinue={vi.fn()} />);
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
  });
});

describe('AsksBack', () => {
  it('[STG-asks] says under a question that the next message answers it, and nothing under another answer', () => {
    const runOf = (more: object) => turnAt(sessionOf([...runFacts(), ended('done', more)]), 0)?.run;
    const [asks, done] = [runOf({ asks: true }), runOf({})];
    if (!asks || !done) throw new Error('There is no run.');
    const { container } = render(<AsksBack run={done} />);
    expect(container.textContent).toBe('');
    render(<AsksBack run={asks} />);
    expect(screen.getByText('The model asks you. Your next message answers it.')).toBeDefined();
  });
});

describe('the receipt of a run', () => {
  it('[NUM-receipt] never claims that a run cost nothing compared with direct calling', () => {
    const receipt = {
      estimate: true,
      calls: 4,
      used: { turns: 1, tokens: 10, parts: { fresh: 10, cached: null, output: 0 } },
      direct: { turns: 2, tokens: 5_496, parts: { fresh: 2_750, cached: 2_584, output: 162 } },
    };
    const state = turnAt(sessionOf([...runFacts(), ended('done', { receipt })]), 0)?.run;
    if (!state) throw new Error('There is no run.');
    render(<RunReceipt run={state} />);
    expect(screen.getByText(/99 % fewer tokens, 99 % cheaper/)).toBeDefined();
  });
});
