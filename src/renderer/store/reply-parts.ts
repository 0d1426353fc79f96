import type { QuestionState, ReplyCall, ReplyState, Turn } from '#shared/session-state';
import type { ReplyPlace } from '#shared/route';
import type { WorkflowTimelineEntry } from '#shared/workflow-state';

/** Something that happened beside the words of a reply: a question of the model, or an event of a workflow. */
export type TurnCard =
  | { readonly kind: 'question'; readonly key: string; readonly question: QuestionState }
  | { readonly kind: 'moment'; readonly key: string; readonly moment: WorkflowTimelineEntry };

export type ReplyPart =
  | { readonly kind: 'text'; readonly from: number; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly ReplyCall[] }
  | TurnCard;

/** The questions of the model and the events of a workflow, in order of time. */
export function cardsOf({ questions = [], workflow = [] }: Turn): readonly TurnCard[] {
  const moments = workflow.map((moment, at) => ({ kind: 'moment' as const, key: `moment ${at}`, moment }));
  const after = (count: number) => moments.filter(({ moment }) => moment.questionsBefore === count);
  const questionCards = questions.flatMap((question, at): readonly TurnCard[] => [
    ...(question.asker === 'model'
      ? [{ kind: 'question', key: question.questionId, question } as const]
      : []),
    ...after(at + 1),
  ]);
  return [...after(0), ...questionCards];
}

const placeOf = (card: TurnCard): ReplyPlace | undefined =>
  card.kind === 'question' ? card.question.place : card.moment.place;

/**
 * A reply and what happened beside it, in order of time: `text`, all that is written so far, is cut where the
 * model called tools or a card came. Calls with nothing between them stay together.
 */
export function partsOf(
  turn: Turn,
  { calls = [] }: Pick<ReplyState, 'calls'>,
  text: string,
): readonly ReplyPart[] {
  const parts: ReplyPart[] = [];
  let written = 0;
  let called = 0;
  const writeTo = (end: number): void => {
    const piece = text.slice(written, end);
    if (piece.trim() === '') return;
    parts.push({ kind: 'text', from: written, text: piece });
    written = end;
  };
  const addCall = (call: ReplyCall): void => {
    const last = parts.at(-1);
    if (last?.kind === 'calls') parts[parts.length - 1] = { kind: 'calls', calls: [...last.calls, call] };
    else parts.push({ kind: 'calls', calls: [call] });
  };
  const goTo = (place: ReplyPlace): void => {
    for (const call of calls.slice(called, place.calls)) {
      writeTo(call.textAt);
      addCall(call);
    }
    called = Math.max(called, place.calls);
    writeTo(place.text);
  };
  for (const card of cardsOf(turn)) {
    const place = placeOf(card);
    if (place) goTo(place);
    parts.push(card);
  }
  goTo({ text: text.length, calls: calls.length });
  return parts;
}
