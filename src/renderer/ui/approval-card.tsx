import { ShieldQuestion } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { ApprovalDecision } from '#shared/approval';
import type { ApprovalState } from '#shared/session-state';
import { ApprovalCall, type EditApproval } from './approval-call';
import { Button } from './button';
import { isKeyboardInUse } from './keyboard-in-use';

/** Enter is not taken for a yes this soon: it may have been meant for something else. Milliseconds. */
const deafFor = 600;

export interface ApprovalCardProps {
  /** Calls that are asked for together; at least one. */
  readonly approvals: readonly ApprovalState[];
  /** The title of the node that asks. */
  readonly title: string;
  /** The same question stands elsewhere too: this card does not reach for the keyboard. */
  readonly quiet?: boolean;
  readonly onAnswer: (answers: readonly ApprovalDecision[]) => void;
  readonly onEdit?: EditApproval;
}

/** Keeps the focus rules of a card that needs the user; gives when it appeared. */
function useCardFocus(key: string, quiet: boolean) {
  const card = useRef<HTMLElement>(null);
  const shownAt = useRef(0);
  useEffect(() => {
    shownAt.current = performance.now();
    if (!quiet && !isKeyboardInUse()) card.current?.focus({ preventScroll: true });
  }, [key, quiet]);
  return { card, shownAt };
}

function Head({ title, count }: { title: string; count: number }) {
  return (
    <div className="flex items-start gap-2.5">
      <ShieldQuestion aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
      <div className="min-w-0 grow">
        <p className="text-base font-medium">{title}</p>
        <p className="text-sm text-muted">
          {count === 1
            ? 'This call waits for you. It is made exactly as it stands here.'
            : `${count} calls wait for you. Each is made exactly as it stands here; untick what should not be made.`}
        </p>
      </div>
    </div>
  );
}

/** Writes that wait for a yes, with their exact arguments. Enter approves when the card itself has focus, Esc leaves it. */
export function ApprovalCard({ approvals, title, quiet = false, onAnswer, onEdit }: ApprovalCardProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [first] = approvals;
  const { card, shownAt } = useCardFocus(first?.card ?? first?.approvalId ?? '', quiet);
  const chosen = approvals.filter(({ approvalId }) => !left.has(approvalId));
  const answer = (approved: boolean): void =>
    onAnswer(
      approvals.map(({ approvalId, hash }) => ({
        ...{ approvalId, hash },
        approved: approved && !left.has(approvalId),
      })),
    );
  const choose = (id: string, wanted: boolean): void =>
    setLeft(new Set(wanted ? [...left].filter((other) => other !== id) : [...left, id]));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== card.current) return;
    if (event.key === 'Escape') card.current.blur();
    if (event.key === 'Enter' && performance.now() - shownAt.current > deafFor) answer(true);
  };
  const many = approvals.length > 1;
  return (
    <section
      ref={card}
      role="group"
      tabIndex={-1}
      aria-label={`Approval needed: ${title}`}
      className="rounded-lg border border-copper/45 bg-copper-soft p-3 focus:outline-2 focus:outline-offset-1 focus:outline-copper"
      onKeyDown={onKeyDown}
    >
      <Head title={title} count={approvals.length} />
      {approvals.map((approval) => (
        <ApprovalCall
          key={approval.approvalId}
          approval={approval}
          {...(many && {
            chosen: !left.has(approval.approvalId),
            onChoose: (wanted: boolean) => choose(approval.approvalId, wanted),
          })}
          {...(onEdit && { onEdit })}
        />
      ))}
      <div className="mt-2.5 flex items-center justify-end gap-2">
        <Button onClick={() => answer(false)}>{many ? 'Deny all' : 'Deny'}</Button>
        <Button tone="primary" disabled={chosen.length === 0} onClick={() => answer(true)}>
          {many ? `Approve ${chosen.length} of ${approvals.length}` : 'Approve'}
        </Button>
      </div>
    </section>
  );
}
