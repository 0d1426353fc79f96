import { describe, expect, it } from 'vitest';
import { sampleModel } from '../testing/sample-session';
import { appError } from './app-error';
import { applyRouteEvent, replyPlace, type RouteTurnFact } from './apply-route-event';
import type { Action, Question, RouteTrace } from './route';
import type { Turn } from './session-state';

const line: Turn = { turn: 0, text: 'open the notes', at: 1, runMode: 'ask', model: sampleModel };
const streaming: Turn = {
  ...line,
  reply: { status: 'streaming', model: sampleModel, providerName: 'Local', text: 'Well, ', startedAt: 2 },
};
const item = { id: 'notes.md', displayName: 'notes.md' };
const call = {
  callId: 'c1',
  tool: 'find',
  argumentsPreview: '{}',
  outcome: 'done',
  ms: 1,
  bytes: 2,
} as const;
const question = (questionId: string): Question => ({
  questionId,
  asker: 'router',
  text: 'Which one?',
  options: ['first', 'second'],
  binding: false,
  mode: 'general',
  focusId: null,
  asked: 1,
});
const trace: RouteTrace = { folded: '', mode: 'general', candidates: [], decision: '', unavailable: [] };
const picker: Action = { type: 'open-picker', commandId: 'open', source: { catalogId: 'files' } };
const toModel: Action = { type: 'continue-with-llm', reasonCode: 'no-match' };

const folded = (turn: Turn, ...facts: readonly RouteTurnFact[]): Turn => facts.reduce(applyRouteEvent, turn);
const asked = (id: string): RouteTurnFact => ({ type: 'question-asked', turn: 0, question: question(id) });
const answered = (questionId: string, option: string): RouteTurnFact => ({
  type: 'question-answered',
  turn: 0,
  questionId,
  option,
  by: 'card',
});
const withdrawn = (questionId: string): RouteTurnFact => ({
  type: 'question-withdrawn',
  turn: 0,
  questionId,
  reason: 'cancelled',
});

describe('a call of a built-in tool', () => {
  it('stands where the reply had got to when it ended', () => {
    const turn = folded(streaming, { type: 'host-tool-called', turn: 0, call });
    expect(turn.reply?.calls).toEqual([{ ...call, textAt: 'Well, '.length }]);
    expect(
      folded(turn, { type: 'host-tool-called', turn: 0, call: { ...call, callId: 'c2' } }),
    ).toMatchObject({
      reply: { calls: [{ callId: 'c1' }, { callId: 'c2' }] },
    });
  });

  it('changes nothing in a turn whose reply is lost', () => {
    expect(folded(line, { type: 'host-tool-called', turn: 0, call })).toBe(line);
  });
});

describe('a picker', () => {
  it('is open only when the line opened one', () => {
    expect(folded(line, { type: 'input-routed', turn: 0, action: picker, trace }).route).toEqual({
      action: picker,
      trace,
      picker: { status: 'open' },
    });
    expect(folded(line, { type: 'input-routed', turn: 0, action: toModel, trace }).route).toEqual({
      action: toModel,
      trace,
    });
  });

  it.each<[RouteTurnFact, object]>([
    [
      { type: 'picker-chosen', turn: 0, commandId: 'open', item },
      { status: 'chosen', item },
    ],
    [{ type: 'picker-closed', turn: 0, then: 'nothing' }, { status: 'closed' }],
  ])('ends with %o', (end, state) => {
    const open = folded(line, { type: 'input-routed', turn: 0, action: picker, trace });
    expect(folded(open, end).route).toEqual({ action: picker, trace, picker: state });
    expect(folded(line, end)).toBe(line);
  });
});

describe('a question', () => {
  it('is open where the reply had got to; in a turn without a reply it has no place', () => {
    const call1: RouteTurnFact = { type: 'host-tool-called', turn: 0, call };
    expect(folded(streaming, call1, asked('q')).questions).toEqual([
      { ...question('q'), place: { text: 6, calls: 1 }, status: 'open' },
    ]);
    expect(folded(line, asked('q')).questions).toEqual([{ ...question('q'), status: 'open' }]);
  });

  it('is answered once: neither a second answer nor a withdrawal changes it', () => {
    const turn = folded(line, asked('q'), answered('q', 'first'));
    expect(turn.questions).toEqual([{ ...question('q'), status: 'answered', answer: 'first' }]);
    expect(folded(turn, answered('q', 'second'), withdrawn('q')).questions).toEqual(turn.questions);
  });

  it('that was withdrawn cannot be answered', () => {
    const turn = folded(line, asked('q'), withdrawn('q'));
    expect(turn.questions?.[0]).toMatchObject({ status: 'withdrawn', withdrawn: 'cancelled' });
    expect(folded(turn, answered('q', 'late')).questions).toEqual(turn.questions);
  });

  it('is told from the others of its turn by its id', () => {
    const turn = folded(line, asked('q1'), asked('q2'), answered('q2', 'yes'));
    expect(turn.questions?.map(({ status }) => status)).toEqual(['open', 'answered']);
  });

  it('of a turn that has none changes nothing', () => {
    expect(folded(line, answered('q', 'yes'))).toBe(line);
  });
});

describe('a command', () => {
  const invoked: RouteTurnFact = {
    type: 'command-invoked',
    turn: 0,
    commandId: 'open',
    displayName: 'Open',
    item,
  };
  const error = appError('HOST', 'STATE', 'The file is gone. Choose another one.');
  const undo = { commandId: 'close', id: 'notes.md' };

  it.each<[object, object]>([
    [
      { outcome: 'done', summary: 'Opened.' },
      { status: 'done', summary: 'Opened.' },
    ],
    [
      { outcome: 'done', summary: 'Opened.', undo },
      { status: 'done', summary: 'Opened.', undo },
    ],
    [
      { outcome: 'failed', summary: '', error },
      { status: 'failed', summary: '', error },
    ],
  ])('runs, and ends with %o', (end, state) => {
    const running = folded(line, invoked);
    expect(running.command).toEqual({
      commandId: 'open',
      displayName: 'Open',
      item,
      status: 'running',
      summary: '',
    });
    const ended = folded(running, { type: 'command-ended', turn: 0, ...end } as RouteTurnFact);
    expect(ended.command).toEqual({ ...running.command, ...state });
  });

  it('whose beginning is lost has no end', () => {
    expect(folded(line, { type: 'command-ended', turn: 0, outcome: 'done', summary: '' })).toBe(line);
  });
});

it('says in which session and mode the work of a line goes on', () => {
  expect(
    folded(line, { type: 'session-branched', turn: 0, opened: 's2', mode: 'writing' }).branchedTo,
  ).toEqual({
    sessionId: 's2',
    mode: 'writing',
  });
});

it('counts the place in a reply by its text and its calls; a turn without a reply has none', () => {
  expect(replyPlace(streaming)).toEqual({ place: { text: 6, calls: 0 } });
  expect(replyPlace(line)).toEqual({});
});
