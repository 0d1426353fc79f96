import type { Turn } from '#shared/session-state';
import { Fragment } from 'react';
import { QuestionCard } from '../features/control-plane/question-card';
import { ProposedOutcome } from '../features/control-plane/routed-turn';
import { WorkflowTimeline } from '../features/workflows/workflow-timeline';

/** The model's proposal and its workflow events in order of time, followed by the outcome. */
export function ProposedTurn({ turn }: { readonly turn: Turn }) {
  const { questions = [], workflow = [] } = turn;
  const momentsAt = (asked: number) => workflow.filter((moment) => moment.asked === asked);
  if (workflow.length === 0 && !questions.some(({ asker }) => asker === 'model')) return null;
  return (
    <div className="mt-3 flex flex-col gap-1.5 empty:hidden">
      <WorkflowTimeline turn={turn} moments={momentsAt(0)} />
      {questions.map((question, at) => (
        <Fragment key={question.questionId}>
          {question.asker === 'model' && <QuestionCard turn={turn.turn} question={question} />}
          <WorkflowTimeline turn={turn} moments={momentsAt(at + 1)} />
        </Fragment>
      ))}
      <ProposedOutcome turn={turn} />
    </div>
  );
}
