import { ClipboardList, PenLine } from 'lucide-react';
import { waitingPlan, type RunState } from '#shared/session-state';
import type { RunAction } from '../../store/turn-actions';
import { text } from '../../locales/text';
import { useView } from '../../store/app-context';
import { useIsTyped } from '../../store/card-drafts';
import { draftCards } from '../../store/drafts';
import { Button } from '../../ui/button';
import { ChosenRecipe } from '../run-parts/chosen-recipe';
import { costText, isActive } from '../run-parts/run-facts';

const maxShown = 6;
const defaultStages = 6;

/** The plan that waits for the user, on its run's card. */
export function WaitingPlan({ run, onRun }: { run: RunState; onRun: (action: RunAction) => void }) {
  const proposal = waitingPlan(run);
  const isTyped = useIsTyped();
  // The plan may have been edited in the dialog that closes.
  useView(({ dialog }) => dialog);
  if (!proposal) return null;
  const { stage, plan, planHash, writes = {}, cost } = proposal;
  const { runId } = run;
  const max = run.budgets?.run.stages ?? defaultStages;
  const writing = Object.keys(writes).length;
  const left = plan.nodes.length - maxShown;
  const edited = isTyped(draftCards.plan(runId, planHash));
  return (
    <section
      aria-label={text('run.waitingPlan.name')}
      className="border-t border-line p-3"
      data-stage={stage}
    >
      <div className="flex items-start gap-2.5">
        <ClipboardList aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <div className="min-w-0 grow">
          <p className="text-base font-medium">{text('run.waitingPlan.title', { stage, max })}</p>
          <p className="text-sm text-muted">
            {text('run.waitingPlan.about', { count: plan.nodes.length, writes: writing })}
          </p>
          <ChosenRecipe proposal={proposal} />
          {cost !== undefined && <p className="text-sm text-muted">{costText(cost)}</p>}
          <ol className="mt-2 list-decimal space-y-0.5 ps-5 text-sm">
            {plan.nodes.slice(0, maxShown).map(({ id, title }) => (
              <li key={id} className="readable wrap-anywhere">
                <bdi>{title}</bdi>
                {writes[id] && (
                  <span className="ms-1.5 inline-flex items-center gap-1 text-xs text-copper-text">
                    <PenLine aria-hidden="true" className="size-3" />
                    {text('inspector.review.writes')}
                  </span>
                )}
              </li>
            ))}
          </ol>
          {left > 0 && (
            <p className="mt-0.5 ps-5 text-sm text-muted">{text('run.waitingPlan.more', { count: left })}</p>
          )}
        </div>
      </div>
      {edited && <p className="mt-2 text-end text-sm text-muted">{text('run.waitingPlan.edited')}</p>}
      <div className="mt-2.5 flex flex-wrap items-center justify-end gap-2">
        {/* While the run is in progress, its head has the button. */}
        {!isActive(run) && (
          <Button tone="quiet" onClick={() => onRun({ type: 'reject-plan', runId })}>
            {text('run.waitingPlan.cancel')}
          </Button>
        )}
        {!edited && (
          <Button onClick={() => onRun({ type: 'run-plan', runId, decision: { stage, planHash } })}>
            {text('run.waitingPlan.run')}
          </Button>
        )}
        <Button tone="primary" onClick={() => onRun({ type: 'review-plan' })}>
          {text(edited ? 'message.continueEdit' : 'run.waitingPlan.review')}
        </Button>
      </div>
    </section>
  );
}
