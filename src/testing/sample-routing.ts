import type { Action, Question, RouteCandidate, RouteTrace } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { sampleModel } from './sample-session';

export const created: SessionFact = { type: 'session-created', title: 'Talk', project: null };
export const sent = (text: string, turn = 0, model = sampleModel): SessionFact => ({
  type: 'message-sent',
  turn,
  text,
  runMode: 'ask',
  model,
});

export const candidate: RouteCandidate = {
  commandId: 'SetMode',
  pattern: 'switch to {item} {noun}',
  source: { catalogId: 'modes' },
  slot: 'ddr',
  tier: 'exact-name',
  strict: true,
  items: [{ id: 'ddr_authoring', displayName: 'DDR authoring' }],
  itemCount: 1,
  outcome: 'won',
  why: 'Its slot is an alias of exactly one mode.',
};

export const traceOf = (changes: Partial<RouteTrace> = {}): RouteTrace => ({
  folded: 'switch to ddr mode',
  mode: 'general',
  candidates: [candidate],
  decision: 'A strict hit decides.',
  unavailable: [],
  ...changes,
});

export const routed = (action: Action, changes: Partial<RouteTrace> = {}, turn = 0): SessionFact => ({
  type: 'input-routed',
  turn,
  action,
  trace: traceOf(changes),
});

export const sampleQuestion: Question = {
  questionId: 'q1',
  asker: 'router',
  text: "Confirm send to 'Q1 pilot list'?",
  detail: 'The message is written to the outbox.',
  options: ['Yes', 'No'],
  commandId: 'SendTemplateToMailerList',
  resolvedId: 'LIST-9',
  binding: true,
  mode: 'general',
  focusId: 'TPL-123',
  asked: 1,
};
