import { appError, type AppError } from '#shared/app-error';
import { applyEvents } from '#shared/apply-event';
import { noUsage } from '#shared/model';
import type { FactOf, SessionFact } from '#shared/session-event';
import { emptySession, type RunState, type Turn } from '#shared/session-state';
import type { TimedFact } from '../ports/session-store';
import { closingParts, isRunActive } from './unfinished-work';

/** The line of a turn under its number in the copy. */
type CopiedLine = TimedFact & { readonly fact: FactOf<'message-sent'> };

/** The line of a turn as its session shows it; the stored fact itself may be lost. */
export function lineOf(turn: Turn): FactOf<'message-sent'> {
  const { turn: number, text, runMode, model, items, workspace, parameters, review } = turn;
  const { parent, regenerates, unreadable } = turn;
  return {
    type: 'message-sent',
    turn: number,
    text,
    runMode,
    model,
    ...(items && { items: [...items] }),
    ...(workspace && { workspace }),
    ...(parameters && { parameters }),
    ...(review && { review }),
    ...(parent !== undefined && { parent }),
    ...(regenerates !== undefined && { regenerates }),
    ...(unreadable && { unreadable }),
  };
}

const ofReply: ReadonlySet<SessionFact['type']> = new Set(['reply-thought', 'reply-extended', 'reply-ended']);

/** What the facts so far have begun. */
interface Begun {
  turns: number;
  readonly replies: Set<number>;
  readonly runs: Set<number>;
}

type TurnFact = Extract<SessionFact, { turn: number }>;

const isTurnFact = (fact: SessionFact): fact is TurnFact => 'turn' in fact && typeof fact.turn === 'number';

/** The beginning of the reply or run that this fact continues, when no fact before it has begun one. */
function answerBefore(fact: TurnFact, { fact: line }: CopiedLine, begun: Begun): readonly SessionFact[] {
  const { turn } = fact;
  if (fact.type === 'reply-started' || ofReply.has(fact.type)) {
    const missing = fact.type !== 'reply-started' && !begun.replies.has(turn);
    begun.replies.add(turn);
    return missing ? [{ type: 'reply-started', turn, model: line.model, providerName: '' }] : [];
  }
  if (fact.type === 'model-called' || !('runId' in fact)) return [];
  const missing = fact.type !== 'run-started' && !begun.runs.has(turn);
  begun.runs.add(turn);
  return missing ? [{ type: 'run-started', turn, runId: fact.runId, goal: line.text }] : [];
}

function missingBefore(
  { fact, at }: TimedFact,
  lines: readonly CopiedLine[],
  begun: Begun,
): readonly TimedFact[] {
  if (!isTurnFact(fact)) return [];
  const own = fact.type === 'message-sent' ? 1 : 0;
  const lost = lines.slice(begun.turns, fact.turn + 1 - own);
  begun.turns = Math.max(begun.turns, fact.turn + 1);
  const line = lines[fact.turn];
  return [...lost, ...(line ? answerBefore(fact, line, begun).map((each) => ({ fact: each, at })) : [])];
}

/** Adds the lines, and the beginnings of replies and runs, that a damaged session has lost. */
function withBeginnings(copies: readonly TimedFact[], lines: readonly CopiedLine[]): readonly TimedFact[] {
  const begun: Begun = { turns: 0, replies: new Set(), runs: new Set() };
  const begunCopies = copies.flatMap((copy) => [...missingBefore(copy, lines, begun), copy]);
  return [...begunCopies, ...lines.slice(begun.turns)];
}

const copiedRun = 'This run was interrupted in the session that it was copied from.';

const lostEnd = appError(
  'HOST',
  'STORAGE',
  'The end of this is missing in the session that it was copied from.',
  { hint: 'Send the message again.' },
);

function runEnded(turn: number, { runId, called = noUsage }: RunState, error?: AppError): SessionFact {
  const ended = error
    ? { outcome: 'failed' as const, answer: error.message, error }
    : { outcome: 'cancelled' as const, answer: copiedRun };
  return { type: 'run-ended', turn, runId, usage: called, ...ended };
}

/** Ends what is open in a copied turn: it is history, and nobody waits for it any more. */
function closingFacts(turn: Turn): readonly SessionFact[] {
  const { turn: number, run, route, questions = [] } = turn;
  const open = questions.filter(({ status }) => status === 'open');
  return [
    ...open.map(({ questionId }) => ({
      type: 'question-withdrawn' as const,
      turn: number,
      questionId,
      reason: 'cancelled' as const,
    })),
    ...(route?.picker?.status === 'open'
      ? [{ type: 'picker-closed' as const, turn: number, then: 'nothing' as const }]
      : []),
    ...closingParts(turn, lostEnd),
    ...(run && isRunActive(turn) ? [runEnded(number, run, lostEnd)] : []),
    ...(run?.status === 'interrupted' ? [runEnded(number, run)] : []),
  ];
}

/** The turns as these facts alone make them. */
function turnsOf(copies: readonly TimedFact[]): readonly Turn[] {
  const events = copies.map(({ fact, at }, index) => ({
    ...fact,
    at,
    sessionId: '',
    seq: index + 1,
    v: 1,
  }));
  return applyEvents(emptySession(''), events).blocks.flat();
}

/**
 * The facts of a copy, complete: every turn has its line, every reply and run its beginning and its end, however
 * much of the original is lost. `lines` has the line of each turn, in the order of their numbers in the copy.
 */
export function completed(copies: readonly TimedFact[], lines: readonly CopiedLine[]): readonly TimedFact[] {
  const begun = withBeginnings(copies, lines);
  const closing = new Map(turnsOf(begun).map((turn) => [turn.turn, closingFacts(turn)]));
  const last = new Map(
    begun.flatMap(({ fact }, index) => (isTurnFact(fact) ? [[fact.turn, index] as const] : [])),
  );
  return begun.flatMap((copy, index) => {
    const { fact, at } = copy;
    const ends = isTurnFact(fact) && last.get(fact.turn) === index ? (closing.get(fact.turn) ?? []) : [];
    return [copy, ...ends.map((each) => ({ fact: each, at }))];
  });
}
