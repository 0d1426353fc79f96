import { ShieldQuestion } from 'lucide-react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { ApprovalState } from '#shared/session-state';
import { Button } from './button';
import { isKeyboardInUse } from './keyboard-in-use';

/** Enter is not taken for a yes this soon: it may have been meant for something else. Milliseconds. */
const deafFor = 600;
const shownLength = 20_000;

function pretty(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const cut = text.length - shownLength;
  return cut > 0 ? `${text.slice(0, shownLength)}\n… ${cut} more characters` : text;
}

export interface ApprovalCardProps {
  readonly approval: ApprovalState;
  /** The title of the node that asks. */
  readonly title: string;
  /** The same question stands elsewhere too: this card does not reach for the keyboard. */
  readonly quiet?: boolean;
  readonly onAnswer: (approved: boolean) => void;
}

/** A write that waits for a yes, with the exact arguments. Enter approves when the card itself has focus, Esc leaves it. */
export function ApprovalCard({ approval, title, quiet = false, onAnswer }: ApprovalCardProps) {
  const card = useRef<HTMLElement>(null);
  const shownAt = useRef(0);
  useEffect(() => {
    shownAt.current = performance.now();
    if (!quiet && !isKeyboardInUse()) card.current?.focus({ preventScroll: true });
  }, [approval.approvalId, quiet]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== card.current) return;
    if (event.key === 'Escape') card.current.blur();
    if (event.key === 'Enter' && performance.now() - shownAt.current > deafFor) onAnswer(true);
  };
  return (
    <section
      ref={card}
      role="group"
      tabIndex={-1}
      aria-label={`Approval needed: ${title}`}
      className="rounded-lg border border-copper/45 bg-copper-soft p-3 focus:outline-2 focus:outline-offset-1 focus:outline-copper"
      onKeyDown={onKeyDown}
    >
      <div className="flex items-start gap-2.5">
        <ShieldQuestion aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <div className="min-w-0 grow">
          <p className="text-base font-medium">{title}</p>
          <p className="text-sm text-muted wrap-anywhere">
            <span className="font-mono text-text">{approval.tool}</span> will be called with exactly this:
          </p>
        </div>
      </div>
      <pre
        tabIndex={0}
        aria-label="Arguments"
        className="readable mt-2 max-h-64 overflow-auto rounded-md border border-line bg-code px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {pretty(approval.arguments)}
      </pre>
      <div className="mt-2.5 flex items-center justify-end gap-2">
        <Button onClick={() => onAnswer(false)}>Deny</Button>
        <Button tone="primary" onClick={() => onAnswer(true)}>
          Approve
        </Button>
      </div>
    </section>
  );
}
