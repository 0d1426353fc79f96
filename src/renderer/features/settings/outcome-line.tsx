import type { AppError } from '#shared/app-error';
import { Check, CircleAlert } from 'lucide-react';

/** The outcome of a test or a save. */
export interface Outcome {
  readonly good: boolean;
  readonly text: string;
}

export const failed = ({ message, hint }: AppError): Outcome => ({
  good: false,
  text: [message, hint].filter(Boolean).join(' '),
});

/** The key as a call expects it: omitted while the field is empty. */
export const secretOf = ({ key }: { readonly key: string }) => (key.trim() === '' ? {} : { key: key.trim() });

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
