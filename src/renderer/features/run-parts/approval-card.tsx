import { ShieldQuestion } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { ApprovalDecision } from '#shared/approval';
import type { GrantRequest } from '#shared/grant';
import type { ApprovalState } from '#shared/session-state';
import { text } from '../../locales/text';
import { ApprovalCall, type EditApproval } from './approval-call';
import { ApprovalScope } from './approval-scope';
import { grantRequestOf, type Bindings, type AnswerScope } from './grant-request';
import { Button } from '../../ui/button';
import { isKeyboardInUse } from '../../ui/keyboard-in-use';

/** Ignore Enter for 600 ms so that a stray keystroke cannot approve a write. Milliseconds. */
const enterGuardMs = 600;

export interface ApprovalCardProps {
  /** Calls that one card asks about together; at least one. */
  readonly approvals: readonly ApprovalState[];
  /** The title of the node that asks. */
  readonly title: string;
  /** The same question is shown elsewhere too, so this card does not take the focus. */
  readonly quiet?: boolean;
  readonly onAnswer: (answers: readonly ApprovalDecision[], grant?: GrantRequest) => void;
  readonly onEdit?: EditApproval;
}

/** Applies the focus rules of a card that needs the user; returns when it appeared. */
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
          {text(count === 1 ? 'runParts.approval.one' : 'runParts.approval.many', { count })}
        </p>
      </div>
    </div>
  );
}

/** The choices on a card, and the answer that results from them. */
function useAnswer({ approvals, onAnswer }: Pick<ApprovalCardProps, 'approvals' | 'onAnswer'>) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [scope, setScope] = useState<AnswerScope>('once');
  const [bindings, setBindings] = useState<Bindings>({});
  const chosen = approvals.filter(({ approvalId }) => !left.has(approvalId));
  const mayApprove = chosen.length > 0 && scope !== 'never';
  const answer = (approved: boolean): void => {
    if (approved && !mayApprove) return;
    const answers = approvals.map(({ approvalId, hash }) => ({
      approvalId,
      hash,
      approved: approved && !left.has(approvalId),
    }));
    // A no without "never" applies to these calls only.
    const grant = approved === (scope !== 'never') ? grantRequestOf(scope, bindings) : undefined;
    if (grant) onAnswer(answers, grant);
    else onAnswer(answers);
  };
  const choose = (id: string, wanted: boolean): void =>
    setLeft(new Set(wanted ? [...left].filter((other) => other !== id) : [...left, id]));
  return { left, chosen, scope, bindings, mayApprove, answer, choose, setScope, setBindings };
}

function Answers(props: {
  readonly count: number;
  readonly chosen: number;
  readonly scope: AnswerScope;
  readonly mayApprove: boolean;
  readonly onAnswer: (approved: boolean) => void;
}) {
  const { count, chosen, scope, mayApprove, onAnswer } = props;
  const isSaved = scope !== 'once' && scope !== 'never';
  const yes = text(count > 1 ? 'runParts.approval.approveSome' : 'runParts.approval.approve', {
    chosen,
    count,
  });
  const no = text(count > 1 ? 'runParts.approval.denyAll' : 'runParts.approval.deny');
  return (
    <div className="mt-2.5 flex items-center justify-end gap-2">
      <Button tone={scope === 'never' ? 'danger' : 'plain'} onClick={() => onAnswer(false)}>
        {scope === 'never' ? text('runParts.approval.permanently', { deny: no }) : no}
      </Button>
      <Button tone="primary" disabled={!mayApprove} onClick={() => onAnswer(true)}>
        {isSaved ? text('runParts.approval.remember', { approve: yes }) : yes}
      </Button>
    </div>
  );
}

/**
 * Pending writes with their exact arguments. Enter approves while the card itself has the focus; Esc leaves
 * the card.
 */
export function ApprovalCard({ approvals, title, quiet = false, onAnswer, onEdit }: ApprovalCardProps) {
  const [first] = approvals;
  const { card, shownAt } = useCardFocus(first?.card ?? first?.approvalId ?? '', quiet);
  const state = useAnswer({ approvals, onAnswer });
  const { left, chosen, scope, bindings, mayApprove, answer } = state;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== card.current) return;
    if (event.key === 'Escape') card.current.blur();
    if (event.key === 'Enter' && performance.now() - shownAt.current > enterGuardMs) answer(true);
  };
  const many = approvals.length > 1;
  return (
    <section
      ref={card}
      role="group"
      tabIndex={-1}
      aria-label={text('runParts.approval.name', { title })}
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
            onChoose: (wanted: boolean) => state.choose(approval.approvalId, wanted),
          })}
          {...(onEdit && { onEdit })}
        />
      ))}
      <ApprovalScope
        approvals={approvals}
        scope={scope}
        bindings={bindings}
        onScope={state.setScope}
        onBindings={state.setBindings}
      />
      <Answers
        scope={scope}
        mayApprove={mayApprove}
        count={approvals.length}
        chosen={chosen.length}
        onAnswer={answer}
      />
    </section>
  );
}
