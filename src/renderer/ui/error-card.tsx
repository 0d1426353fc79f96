import { visibleControls } from '#shared/direction-controls';
import { otherProblems, type AppError } from '#shared/app-error';
import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../locales/text';
import { Button } from './button';
import { describeError } from './error-text';
import { formatSeconds } from './format';
import { useNow } from './use-now';

interface RetryProps {
  readonly onRetry: () => void;
  /** When the provider will be ready again, in milliseconds since the epoch. */
  readonly readyAt: number | undefined;
}

function RetryButton({ onRetry, readyAt }: RetryProps) {
  const now = useNow(250, readyAt !== undefined);
  const left = readyAt === undefined ? 0 : Math.ceil((readyAt - now) / 1_000);
  return (
    <Button disabled={left > 0} className="numbers" onClick={onRetry}>
      <RotateCw aria-hidden="true" className="size-3.5" />
      {left > 0 ? text('ui.retryIn', { time: formatSeconds(left) }) : text('shared.retry')}
    </Button>
  );
}

function placeOf({ kind, code, layer, node, tool, line, column }: AppError): string {
  const position =
    line === undefined
      ? undefined
      : `${text('ui.place.line', { line })}${column === undefined ? '' : `:${column}`}`;
  return [`${kind}/${code}`, layer, node && text('ui.place.step', { id: node }), tool, position]
    .filter(Boolean)
    .join(' · ');
}

/** The other problems of a file; the message names the first one. */
function Problems({ error }: { error: AppError }) {
  const others = otherProblems(error);
  if (others.length === 0) return null;
  return (
    <ul className="mt-1 space-y-0.5 text-sm">
      {others.map(({ file, field, reason }) => (
        <li key={`${file} ${field} ${reason}`} className="wrap-anywhere">
          <span className="font-mono text-xs">{field === '' ? file : field}</span>: {reason}
        </li>
      ))}
    </ul>
  );
}

const isLimit = ({ kind, code }: AppError): boolean =>
  kind === 'LLM' && (code === 'RATE_LIMITED' || code === 'QUOTA');

export interface ErrorCardProps {
  readonly error: AppError;
  /** Replaces the error's own title if there is more to say than its kind. */
  readonly title?: string | undefined;
  /** When it failed, for the countdown; milliseconds since the epoch. */
  readonly at?: number | undefined;
  readonly onRetry?: (() => void) | undefined;
  /** Offered beside the retry when the provider accepts no requests. */
  readonly onOtherModel?: (() => void) | undefined;
  /** What removes the cause. */
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  /** A line above the message, such as which text was saved. */
  readonly children?: ReactNode;
}

/** A failure as a card: what happened, its source, what to do next, and a button for that. */
export function ErrorCard(props: ErrorCardProps) {
  const { error, title: ownTitle, at, onRetry, onOtherModel, action, children } = props;
  const { title: usual, next } = describeError(error);
  const title = ownTitle ?? usual;
  const readyAt = error.retryAfterMs !== undefined && at !== undefined ? at + error.retryAfterMs : undefined;
  return (
    <section aria-label={title} className="readable rounded-lg border border-danger/35 bg-danger-soft p-3">
      <div className="flex flex-wrap items-start gap-2.5">
        <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger-text" />
        <div className="min-w-0 flex-1 basis-56">
          <div className="text-base font-medium">{title}</div>
          {children}
          <p dir="auto" className="mt-0.5 text-sm wrap-anywhere whitespace-pre-wrap">
            {visibleControls(error.message)}
          </p>
          <Problems error={error} />
          <p className="mt-1 text-sm text-muted">{next}</p>
          <p className="mt-1.5 font-mono text-2xs text-muted wrap-anywhere">{placeOf(error)}</p>
        </div>
        <div className="ms-auto flex shrink-0 flex-wrap justify-end gap-2">
          {action && <Button onClick={action.run}>{action.label}</Button>}
          {onOtherModel && isLimit(error) && (
            <Button onClick={onOtherModel}>{text('ui.attempts.otherModel')}</Button>
          )}
          {onRetry && <RetryButton onRetry={onRetry} readyAt={readyAt} />}
        </div>
      </div>
    </section>
  );
}
