import type { NodeState } from '#shared/session-state';
import { RotateCw } from 'lucide-react';
import { richText, text } from '../locales/text';
import { describeError } from './error-text';
import { formatSeconds } from './format';
import { useNow } from './use-now';

/** The time until the next attempt. */
export function WhenRetried({ retryAt }: { readonly retryAt: number }) {
  const left = Math.ceil((retryAt - useNow(250, true)) / 1_000);
  return (
    <span className="numbers">
      {left > 0 ? text('ui.attempts.retryIn', { time: formatSeconds(left) }) : text('ui.attempts.retrying')}
    </span>
  );
}

/** The failed attempts of a retried node: the reasons and, while it waits for a retry, the delay. */
export function FailedAttempts({ node }: { readonly node: NodeState }) {
  const { failedAttempts = [], endedAt } = node;
  if (failedAttempts.length === 0) return null;
  return (
    <ul aria-label={text('ui.attempts.label')} className="mt-0.5 text-sm">
      {failedAttempts.map(({ error, at, retryAt, retried }, index) => (
        <li key={at} className="flex gap-1.5">
          <RotateCw aria-hidden className="mt-0.5 size-3.5 shrink-0 text-muted" strokeWidth={1.75} />
          <p dir="auto" className="readable min-w-0 grow wrap-anywhere">
            {richText('ui.attempts.failed', {
              number: index + 1,
              title: describeError(error).title,
              message: error.message,
              muted: (inner) => <span className="text-muted">{inner}</span>,
            })}{' '}
            {!retried && endedAt === undefined && <WhenRetried retryAt={retryAt} />}
          </p>
        </li>
      ))}
    </ul>
  );
}
