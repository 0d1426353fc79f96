import type { AppError } from '#shared/app-error';
import type { Ddr } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { useState, type ReactNode } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { EntityName } from '../../ui/entity-name';
import { ErrorCard } from '../../ui/error-card';
import { Approval, DdrStatusIcon } from './ddr-status';
import type { DdrCalls } from './use-ddrs';

interface PartProps {
  readonly name: ReactNode;
  readonly status: 'draft' | 'approved';
  readonly approval: Ddr['approval'];
  readonly children: ReactNode;
}

function Part({ name, status, approval, children }: PartProps) {
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-1.5 text-sm first:border-t-0">
      <span className="min-w-32 flex-1 truncate">{name}</span>
      <Approval approval={approval} />
      <DdrStatusIcon status={status} />
      {status === 'draft' && children}
    </li>
  );
}

/** Approves a document, reports errors, and reloads everything. */
function useApprove(calls: DdrCalls, onApproved: () => void) {
  const { view } = useApp();
  const [error, setError] = useState<AppError | null>(null);
  const approve = async (operation: string, payload: JsonObject, announcement: string) => {
    const answer = await calls.approve(operation, payload);
    setError(answer.ok ? null : answer.error);
    if (answer.ok) view.announce(announcement);
    onApproved();
  };
  return { error, approve };
}

export interface DdrApprovalsProps {
  readonly ddr: Ddr;
  readonly calls: DdrCalls;
  readonly onApproved: () => void;
}

/** The approved and unapproved parts, with approval buttons: only the user can approve, never a model. */
export function DdrApprovals({ ddr, calls, onApproved }: DdrApprovalsProps) {
  const { error, approve } = useApprove(calls, onApproved);
  const { id, goal, chapters, status } = ddr;
  return (
    <section aria-label={text('ddrs.approvals.title')}>
      <ul className="overflow-hidden rounded-lg border border-line">
        {goal && (
          <Part name={text('ddrs.approvals.goal')} status={goal.status} approval={goal.approval}>
            <Button
              className="h-7 px-2"
              onClick={() => void approve('approve_goal', { id }, text('ddrs.approvals.goalApproved'))}
            >
              {text('ddrs.approvals.approveGoal')}
            </Button>
          </Part>
        )}
        {chapters.map(({ chapterId, title, ...part }) => (
          <Part
            key={chapterId}
            name={
              <>
                <span className="font-mono text-xs text-muted">{chapterId}</span> <EntityName text={title} />
              </>
            }
            {...part}
          >
            <Button
              className="h-7 px-2"
              aria-label={text('ddrs.approvals.approveChapter', { id: chapterId })}
              onClick={() =>
                void approve(
                  'approve_chapter',
                  { id, chapterId },
                  text('ddrs.approvals.approved', { id: chapterId }),
                )
              }
            >
              {text('ddrs.approvals.approve')}
            </Button>
          </Part>
        ))}
      </ul>
      {(status === 'draft' || status === 'in_review') && (
        <div className="mt-2 flex justify-end">
          <Button
            tone="primary"
            onClick={() => void approve('approve_ddr', { id }, text('ddrs.approvals.approved', { id }))}
          >
            {text('ddrs.approvals.approveRecord', { id })}
          </Button>
        </div>
      )}
      {error && (
        <div role="alert" className="mt-2">
          <ErrorCard error={error} />
        </div>
      )}
    </section>
  );
}
