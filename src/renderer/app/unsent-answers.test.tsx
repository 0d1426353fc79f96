import type { PendingElicitation } from '#shared/elicitation';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeNotes } from '../../testing/guarded-workflows';
import { created, sent } from '../../testing/sample-routing';
import { runFacts, sampleHash, samplePlan } from '../../testing/sample-session';
import { openTestWindow, pretendLayout } from '../../testing/test-window';
import type { WindowBridgeOptions } from '../../testing/window-bridge';

beforeEach(() => {
  // Running clocks would render again outside a test's steps.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  window.localStorage.clear();
  pretendLayout();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** A window with a session that has these facts, and another session. */
async function openWindow(facts: readonly SessionFact[], options: WindowBridgeOptions = {}) {
  const opened = await openTestWindow(
    { talk: [created, ...facts], other: [created, sent('hello')] },
    options,
  );
  const show = (session: string) => act(async () => void (await opened.app.commands.openSession(session)));
  return { ...opened, show };
}
/** The window ends, and opens again: only what it stored is left. */
async function reopen(...of: Parameters<typeof openWindow>) {
  cleanup();
  return openWindow(...of);
}
const press = (name: string | RegExp) =>
  act(async () => void fireEvent.click(screen.getByRole('button', { name })));
const field = (name: string) => screen.getByRole<HTMLTextAreaElement>('textbox', { name });
const fill = (name: string, value: string) =>
  act(async () => void fireEvent.change(field(name), { target: { value } }));
const storedAnswers = () => Object.keys(window.localStorage).filter((key) => key.includes('card.'));

const planned = runFacts().map((fact) =>
  fact.type === 'plan-made' ? { ...fact, source: 'model' as const } : fact,
);
const answered = (approved: boolean, said?: string): SessionFact => ({
  ...{ type: 'approval-answered', turn: 0, runId: 'run-0', approvalId: 'approval-1', approved },
  hash: sampleHash,
  ...(said !== undefined && { said }),
});
const instead = 'What to do instead';

describe('[CARD-typed] words typed instead of an approval', () => {
  const openInstead = async () => {
    const opened = await openWindow(planned);
    await press(/^No, instead/);
    await fill(instead, 'Write it to docs');
    return opened;
  };

  it('are there again after another session, and in the next window; sending them leaves nothing', async () => {
    const { show } = await openInstead();
    await show('other');
    await show('talk');
    expect(field(instead).value).toBe('Write it to docs');
    expect(document.activeElement).not.toBe(field(instead));
    const { main } = await reopen(planned);
    expect(field(instead).value).toBe('Write it to docs');
    await act(async () => void fireEvent.keyDown(field(instead), { key: 'Enter' }));
    expect(main.calls.find(({ name }) => name === 'approval-answer')?.input).toMatchObject({
      answers: [{ approvalId: 'approval-1', hash: sampleHash, approved: false, said: 'Write it to docs' }],
    });
    await act(async () => main.record('talk', [answered(false, 'Write it to docs')]));
    expect([storedAnswers(), field('Message').value]).toEqual([[], '']);
  });

  it('are dropped by Back, and with their session', async () => {
    const { app } = await openInstead();
    await press('Back');
    expect(storedAnswers()).toEqual([]);
    await press(/^No, instead/);
    await fill(instead, 'Do not');
    expect(storedAnswers()).toHaveLength(1);
    await act(async () => void (await app.commands.deleteSession('talk')));
    expect(storedAnswers()).toEqual([]);
  });

  it('stay when Escape leaves their field, which neither stops the run nor approves with the next Enter', async () => {
    const { main } = await openInstead();
    const escape = () => act(async () => void fireEvent.keyDown(document.activeElement!, { key: 'Escape' }));
    const card = screen.getByRole('group', { name: /^Approval needed/ });
    field(instead).focus();
    await escape();
    expect([field(instead).value, document.activeElement]).toEqual(['Write it to docs', card]);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000);
    await act(async () => void fireEvent.keyDown(card, { key: 'Enter' }));
    await fill(instead, '');
    field(instead).focus();
    await escape();
    expect([screen.queryByRole('textbox', { name: instead }), document.activeElement]).toEqual([null, card]);
    await escape();
    expect(document.activeElement).toBe(document.body);
    expect(main.calls.filter(({ name }) => /^approval|^turn-stop/.test(name))).toEqual([]);
    await escape();
    expect(main.calls.filter(({ name }) => name === 'turn-stop')).toHaveLength(1);
  });

  it('are in the message box when the card is answered elsewhere, also meanwhile', async () => {
    const { main } = await openInstead();
    await act(async () => main.record('talk', [answered(true)]));
    expect([field('Message').value, storedAnswers()]).toEqual(['Write it to docs', []]);
    cleanup();
    window.localStorage.clear();
    const { show, main: again } = await openInstead();
    await show('other');
    await act(async () => again.record('talk', [answered(true)]));
    expect(field('Message').value).toBe('');
    await show('talk');
    expect([field('Message').value, storedAnswers()]).toEqual(['Write it to docs', []]);
  });
});

it('[CARD-typed-arguments] edited arguments are there again until they are used, or the call is answered', async () => {
  const name = 'Arguments to change';
  const { main } = await openWindow(planned);
  await press('Edit before approving');
  await fill(name, '{"path":"docs/report.md"}');
  await reopen(planned);
  expect(field(name).value).toBe('{"path":"docs/report.md"}');
  await press('Use these arguments');
  expect(storedAnswers()).toEqual([]);
  await press('Edit before approving');
  await fill(name, '{');
  const { main: last } = await reopen(planned);
  await act(async () => last.record('talk', [answered(true)]));
  expect([storedAnswers(), field('Message').value]).toEqual([[], '']);
  expect(main.calls.filter(({ name: call }) => call === 'approval-edit')).toEqual([]);
});

it('[CARD-typed-choices] the ticks of a list and the rule of its answer are there again until it is answered', async () => {
  const [asked] = planned.slice(-1);
  const ask = (at: number): SessionFact => ({
    ...(asked as Extract<SessionFact, { type: 'approval-requested' }>),
    ...{ approvalId: `approval-${at}`, card: 'card-1' },
    arguments: { path: `docs/${at}.md`, content: '' },
  });
  const facts = [...planned.slice(0, -1), ask(1), ask(2), ask(3)];
  const box = (at: number) =>
    screen.getByRole<HTMLInputElement>('checkbox', { name: new RegExp(`docs/${at}`) });
  const beginning = 'Beginning of path';
  const choose = (name: string, value: string) =>
    act(async () => void fireEvent.change(screen.getByLabelText(name), { target: { value } }));
  const { show } = await openWindow(facts);
  await act(async () => void fireEvent.click(box(2)));
  await choose('Remember this answer', 'session');
  await choose('Allow without asking', 'custom');
  await choose('Allowed values of path', 'begins');
  await fill(beginning, 'do');
  await show('other');
  await show('talk');
  expect([1, 2, 3].map((at) => box(at).checked)).toEqual([true, false, true]);
  const { main } = await reopen(facts);
  expect([[1, 2, 3].map((at) => box(at).checked), field(beginning).value]).toEqual([
    [true, false, true],
    'do',
  ]);
  await press(/^Approve 2 of 3/);
  expect(main.calls.find(({ name }) => name === 'approval-answer')?.input).toMatchObject({
    answers: [{ approved: true }, { approved: false }, { approved: true }],
    grant: { reach: 'session', where: { path: { beginsWith: 'do' } } },
  });
  const answers = [1, 2, 3].map(
    (at) => ({ ...answered(at !== 2), approvalId: `approval-${at}` }) as SessionFact,
  );
  await act(async () => main.record('talk', answers));
  expect(storedAnswers()).toEqual([]);
});

it('[CARD-typed-inputs] answers to a workflow are there again until they are given', async () => {
  const started: SessionFact = {
    ...{ type: 'workflow-started', workflowRunId: 'wfr-1', turn: 0, hash: 'h' },
    ...{ by: 'model', definition: writeNotes, cause: { toolCallId: 'c' }, proposed: { file: 'guess.md' } },
  };
  const facts = [sent('write the notes'), started];
  const typedFile = () => screen.getByLabelText<HTMLInputElement>(/^Which file\?/);
  const { show } = await openWindow(facts);
  await act(async () => void fireEvent.change(typedFile(), { target: { value: 'notes.md' } }));
  await show('other');
  await show('talk');
  expect(typedFile().value).toBe('notes.md');
  await reopen(facts);
  expect(typedFile().value).toBe('notes.md');
  await press('Continue');
  expect(storedAnswers()).toEqual([]);
});

it('[CARD-typed-question] answers to a server are there again until its question is over', async () => {
  const asked: PendingElicitation = {
    id: 'e1',
    request: {
      server: 'shop',
      message: 'Whom?',
      fields: [{ kind: 'text', name: 'who', label: 'Name', description: '', required: false }],
    },
  };
  const options = { handlers: { 'elicitation-list': () => ok([asked]) } };
  const name = () => screen.getByLabelText<HTMLInputElement>(/^Name/);
  const answer = (value: string) => act(async () => void fireEvent.change(name(), { target: { value } }));
  await openWindow([], options);
  await answer('Ada');
  const { main } = await reopen([], options);
  expect(name().value).toBe('Ada');
  await act(async () => main.push({ type: 'elicitation-over', id: 'e1' }));
  expect(storedAnswers()).toEqual([]);
  await reopen([], options);
  await answer('Grace');
  await reopen([]);
  expect(storedAnswers()).toEqual([]);
});

it('[CARD-typed-plan] the edits of a waiting plan are there again until it runs', async () => {
  const [first, ...others] = samplePlan.nodes;
  const plan = { ...samplePlan, nodes: [{ ...first!, params: { depth: 2 } }, ...others] };
  const proposed: SessionFact = {
    ...{ type: 'plan-proposed', turn: 0, runId: 'run-0', stage: 1 },
    ...{ plan, planHash: 'p1', source: 'model' },
  };
  const facts = [...runFacts().slice(0, 2), proposed];
  await openWindow(facts);
  await press('Review the plan');
  await fill('Title', 'List them all');
  await fill('depth', '-');
  await press('Close');
  expect(screen.getByText('You edited this plan; the edited plan has not run.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Run' })).toBeNull();
  const { main } = await reopen(facts);
  await press('Continue editing');
  expect([field('Title').value, field('depth').value]).toEqual(['List them all', '-']);
  await press('Undo the edit');
  expect([field('Title').value, storedAnswers()]).toEqual(['List the files', []]);
  await press('Redo the edit');
  await press('Run as edited');
  expect(main.calls.find(({ name }) => name === 'plan-review')?.input).toMatchObject({
    decision: { plan: { nodes: [{ title: 'List them all' }, {}, {}] } },
  });
  expect(storedAnswers()).toEqual([]);
});
