import type { Turn } from '#shared/session-state';
import { QuestionCard } from '../features/control-plane/question-card';
import { ProposedOutcome } from '../features/control-plane/routed-turn';
import { cardsOf, type TurnCard } from '../store/reply-parts';
import { WorkflowTimeline } from '../features/workflows/workflow-timeline';

/** A question of the model, or an event of a workflow. */
export function ProposedCard({ turn, card }: { readonly turn: Turn; readonly card: TurnCard }) {
  return card.kind === 'question' ? (
    <QuestionCard turn={turn.turn} question={card.question} />
  ) : (
    <WorkflowTimeline turn={turn} moment={card.moment} />
  );
}

/** The outcome of the model's proposal; in a turn without a reply, which shows its own, also the cards. */
export function ProposedTurn({ turn }: { readonly turn: Turn }) {
  const cards = cardsOf(turn);
  if (cards.length === 0) return null;
  return (
    <div className="mt-3 flex flex-col gap-1.5 empty:hidden">
      {!turn.reply && cards.map((card) => <ProposedCard key={card.key} turn={turn} card={card} />)}
      <ProposedOutcome turn={turn} />
    </div>
  );
}
