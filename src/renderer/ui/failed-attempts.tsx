import type { NodeState, RunState } from '#shared/session-state';
import { Hourglass, RotateCw } from 'lucide-react';
import { richText, text } from '../locales/text';
import { Button } from './button';
import { describeError } from './error-text';
import { formatSeconds } from './format';
import { useNow } from './use-now';

/** The time until the next attempt. */
function WhenRetried({ retryAt }: { readonly retryAt: number }) {
  const left = Math.ceil((retryAt - useNow(250, true)) / 1_000);
  return (
    <span className="numbers">
      {left > 0 ? text('ui.attempts.retryIn', { time: formatSeconds(left) }) : text('ui.attempts.retrying')}
    </span>
  );
}

export interface DelayActions {
  readonly onStop?: (() => void) | undefined;
  /** Answers with another model instead of waiting. */
  readonly onOtherModel?: (() => void) | undefined;
}

/** Why the provider did not answer, when it is asked again, and what the user can do meanwhile. */
export function Delayed({
  error,
  retryAt,
  onStop,
  onOtherModel,
}: NonNullable<RunState['delayed']> & DelayActions) {
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2 text-base text-muted">
      <Hourglass aria-hidden="true" className="mt-1 size-4 shrink-0" />
      <p className="readable min-w-0 flex-1 basis-56 wrap-anywhere">
        {error.message}
        <span className="block text-sm">
          <WhenRetried retryAt={retryAt} /> {text('ui.attempts.queueWaits')}
        </span>
      </p>
      <span className="flex gap-2">
        {onStop && <Button onClick={onStop}>{text('ui.attempts.stop')}</Button>}
        {onOtherModel && <Button onClick={onOtherModel}>{text('ui.attempts.otherModel')}</Button>}
      </span>
    </div>
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
