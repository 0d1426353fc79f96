import { Check, CircleAlert } from 'lucide-react';
import type { Outcome } from './outcome';

/** The outcome of the last attempt, announced by screen readers. */
export function OutcomeLine({ outcome }: { readonly outcome: Outcome | null }) {
  const Icon = outcome?.good ? Check : CircleAlert;
  const ink = outcome?.good ? 'text-accent-text' : 'text-danger-text';
  return (
    <p role="status" className="flex min-h-5 gap-1.5 text-sm">
      {outcome && (
        <>
          <Icon aria-hidden size={15} className={`mt-0.5 shrink-0 ${ink}`} />
          <span className={ink}>{outcome.text}</span>
        </>
      )}
    </p>
  );
}
