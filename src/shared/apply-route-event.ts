import type { FactOf } from './session-event';
import type { ReplyPlace } from './route';
import type { QuestionState, Turn } from './session-state';

/** Control plane facts that change one turn. */
export type RouteTurnFact = FactOf<
  | 'host-tool-called'
  | 'input-routed'
  | 'picker-chosen'
  | 'picker-closed'
  | 'question-asked'
  | 'question-answered'
  | 'question-withdrawn'
  | 'command-invoked'
  | 'command-ended'
  | 'session-branched'
>;

/** The place of something that happens now in the turn's reply; nothing in a turn without one. */
export const replyPlace = ({ reply }: Turn): { readonly place?: ReplyPlace } =>
  reply ? { place: { text: reply.text.length, calls: reply.calls?.length ?? 0 } } : {};

function addCall(turn: Turn, { call }: FactOf<'host-tool-called'>): Turn {
  const { reply } = turn;
  if (!reply) return turn;
  const calls = [...(reply.calls ?? []), { ...call, textAt: reply.text.length }];
  return { ...turn, reply: { ...reply, calls } };
}

function changeQuestion(turn: Turn, questionId: string, change: Partial<QuestionState>): Turn {
  if (!turn.questions) return turn;
  const questions = turn.questions.map((question) =>
    question.questionId === questionId && question.status === 'open' ? { ...question, ...change } : question,
  );
  return { ...turn, questions };
}

type PickerState = NonNullable<NonNullable<Turn['route']>['picker']>;
const changePicker = (turn: Turn, picker: PickerState): Turn =>
  turn.route ? { ...turn, route: { ...turn.route, picker } } : turn;

const folds: {
  readonly [T in RouteTurnFact['type']]: (turn: Turn, event: FactOf<T>) => Turn;
} = {
  'host-tool-called': addCall,
  'input-routed': (turn, { action, trace }) => {
    const picker = action.type === 'open-picker' && { picker: { status: 'open' as const } };
    return { ...turn, route: { action, trace, ...picker } };
  },
  'picker-chosen': (turn, { item }) => changePicker(turn, { status: 'chosen', item }),
  'picker-closed': (turn) => changePicker(turn, { status: 'closed' }),
  'question-asked': (turn, { question }) => ({
    ...turn,
    questions: [...(turn.questions ?? []), { ...question, ...replyPlace(turn), status: 'open' }],
  }),
  'question-answered': (turn, { questionId, option }) =>
    changeQuestion(turn, questionId, { status: 'answered', answer: option }),
  'question-withdrawn': (turn, { questionId, reason }) =>
    changeQuestion(turn, questionId, { status: 'withdrawn', withdrawn: reason }),
  'command-invoked': (turn, { commandId, displayName, item }) => ({
    ...turn,
    command: { commandId, displayName, item, status: 'running', summary: '' },
  }),
  'command-ended': (turn, { outcome, summary, error, undo }) => {
    if (!turn.command) return turn;
    const more = { ...(error && { error }), ...(undo && { undo }) };
    return { ...turn, command: { ...turn.command, status: outcome, summary, ...more } };
  },
  'session-branched': (turn, { opened, mode }) => ({
    ...turn,
    branchedTo: { sessionId: opened, mode },
  }),
};

/** Returns the turn after one more control plane fact. Pure. */
export function applyRouteEvent(turn: Turn, event: RouteTurnFact): Turn {
  const fold = folds[event.type] as (turn: Turn, event: RouteTurnFact) => Turn;
  return fold(turn, event);
}
