import { waitingTurn } from '#shared/attention';
import type { PendingElicitation } from '#shared/elicitation';
import { parseJson } from '#shared/json';
import { waitingPlan, type SessionState, type Turn } from '#shared/session-state';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import { cardDraft, draftCards, editDraft, serverQuestions } from './drafts';

type Deps = Pick<CommandDeps, 'mirror' | 'view' | 'drafts'>;

/** Puts a text that its place has lost into the message box of its session. */
function returnText(
  { view, drafts }: Omit<Deps, 'mirror'>,
  id: string,
  texts: readonly string[],
  why: string,
) {
  for (const one of texts) drafts.prepend(id, one);
  if (texts.length === 0) return;
  view.toast(why);
  if (view.store.getState().sessionId === id) view.focusComposer();
}

/** Puts what was typed into the edit of a line that waits no more into the message box of its session. */
export function returnLeftEdits(deps: Omit<Deps, 'mirror'>, { id, queue }: SessionState): void {
  const { drafts } = deps;
  const waiting = new Set(queue?.lines.map(({ lineId }) => lineId));
  const left = drafts.editedLines(id).filter((lineId) => !waiting.has(lineId));
  const texts = left.map((lineId) => drafts.read(editDraft(id, lineId)));
  for (const lineId of left) drafts.write(editDraft(id, lineId), '');
  returnText(deps, id, texts, text('store.editReturned'));
}

/** What the user can type into or choose on the cards of a turn. */
function cardsOf({ run }: Pick<Turn, 'run'>): readonly string[] {
  if (!run) return [];
  const plan = waitingPlan(run);
  const open = run.approvals.filter(({ status }) => status === 'open');
  return [
    ...open.flatMap(({ approvalId: id }) => [
      draftCards.choices(id),
      draftCards.instead(id),
      draftCards.arguments(id),
    ]),
    ...(plan ? [draftCards.plan(run.runId, plan.planHash)] : []),
  ];
}

function workflowCards({ workflow }: SessionState): readonly string[] {
  return workflow && workflow.inputs === null ? [draftCards.inputs(workflow.workflowRunId)] : [];
}

function wordsOf(draft: string): readonly string[] {
  const words = parseJson(draft);
  return words.ok && typeof words.value === 'string' ? [words.value] : [];
}

/** Drops what was typed into cards that wait no more; words for the model go into the message box. */
function returnCardWords(deps: Deps, session: SessionState): void {
  const { drafts } = deps;
  const cards = drafts.typedCards(session.id);
  if (cards.length === 0) return;
  const open = new Set([...session.blocks.flat().flatMap(cardsOf), ...workflowCards(session)]);
  const left = cards.filter((card) => !open.has(card));
  const words = left
    .filter((card) => card.startsWith(draftCards.instead('')))
    .flatMap((card) => wordsOf(drafts.read(cardDraft(session.id, card))));
  for (const card of left) drafts.write(cardDraft(session.id, card), '');
  returnText(deps, session.id, words, text('store.answerReturned'));
}

/** Drops what was typed into questions of servers that are no longer open. */
export function dropLeftAnswers({ drafts }: Pick<Deps, 'drafts'>, open: readonly PendingElicitation[]): void {
  for (const card of drafts.typedCards(serverQuestions))
    if (!open.some(({ id }) => id === card)) drafts.write(cardDraft(serverQuestions, card), '');
}

/** The cards of a session that may wait, to notice that one of them is gone. */
const waitingCards = (session: SessionState): string =>
  [...cardsOf(waitingTurn(session) ?? {}), ...workflowCards(session)].join(' ');

/**
 * Looks after edits whose line another window has withdrawn, and after texts of cards that were answered elsewhere,
 * also before this window opened the session. Returns the function that stops it.
 */
export function followLeftEdits(app: Deps): () => void {
  const { mirror, view } = app;
  let seen: Partial<Pick<SessionState, 'id' | 'queue'>> = {};
  let cards = '';
  const check = () => {
    const { sessionId } = view.store.getState();
    const session = sessionId === null ? undefined : mirror.store.getState().sessions[sessionId];
    if (!session) return;
    const before = { ...seen, cards };
    seen = session;
    cards = `${session.id} ${waitingCards(session)}`;
    if (session.id !== before.id || session.queue !== before.queue) returnLeftEdits(app, session);
    if (cards !== before.cards) returnCardWords(app, session);
  };
  const stops = [
    mirror.store.subscribe(check),
    view.store.subscribe(check),
    mirror.store.subscribe(({ elicitations }, { elicitations: before }) => {
      if (before.length > elicitations.length) dropLeftAnswers(app, elicitations);
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
