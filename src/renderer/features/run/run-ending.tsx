import { Ban, CircleHelp, Hourglass, TriangleAlert, Unplug, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AppError } from '#shared/app-error';
import { waitingPlan, type RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { describeError } from '../../ui/error-text';
import type { RunAction } from '../../store/turn-actions';
import { CallError } from '../run-parts/call-error';
import { ChangedTools, changedInRun } from './changed-tools';
import { hasUnknownOutcome } from '../../store/session-view';
import { hasEnded } from '../run-parts/run-facts';
import { UnknownWrites } from './unknown-writes';

function Note({
  icon: Icon,
  children,
  action,
}: {
  icon: LucideIcon;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="mt-3 flex items-start gap-3 rounded-lg border border-line bg-surface p-3 text-sm">
      <div className="flex min-w-0 grow items-start gap-2.5 self-center">
        <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <div className="readable min-w-0 grow wrap-anywhere">{children}</div>
      </div>
      {action}
    </div>
  );
}

/** Resumes an unfinished plan or runs the goal again; neither before the outcome of every write is known. */
function ResumeButton({ run, onRetry, onRun }: EndingProps) {
  if (hasUnknownOutcome(run)) return null;
  // If every step is done, only an interrupted run can resume, with planning or the answer; otherwise only a
  // new run makes the refused calls.
  const { announces = {} } = run;
  const left = run.nodes.some(({ id, status }) => status !== 'done' && !Object.hasOwn(announces, id));
  return (
    <div className="flex shrink-0 flex-wrap justify-end gap-2">
      {(run.status === 'interrupted' || (run.plan && left)) && (
        <Button tone="primary" onClick={() => onRun({ type: 'again' })}>
          {text('run.resume')}
        </Button>
      )}
      <Button onClick={onRetry}>{text('run.runAgain')}</Button>
    </div>
  );
}

interface EndingProps {
  readonly run: RunState;
  readonly onRetry: () => void;
  /** Lets another model answer the line in the run's place. */
  readonly onOtherModel: () => void;
  readonly onRun: (action: RunAction) => void;
}

/** A no is no failure: it is told calmly, in the words of whoever said it. */
function declinedText(error: AppError): string {
  const { title, next } = describeError(error);
  return error.hint === undefined ? `${title}. ${next}` : `${error.message} ${error.hint}`;
}

function Failed(props: EndingProps & { error: AppError }) {
  const { run, error, onRetry } = props;
  if (error.code === 'APPROVAL_DENIED') {
    return (
      <Note icon={Ban} action={<ResumeButton {...props} />}>
        {declinedText(error)}
      </Note>
    );
  }
  if (error.outcome !== 'unknown') {
    return (
      <div className="mt-3">
        <CallError
          error={error}
          at={run.endedAt}
          {...(!hasUnknownOutcome(run) && { onRetry, onOtherModel: props.onOtherModel })}
        />
      </div>
    );
  }
  // The question below already says what happened; once it is answered, only the next steps remain to show.
  if (hasUnknownOutcome(run)) return null;
  return (
    <Note icon={TriangleAlert} action={<ResumeButton {...props} />}>
      {text('run.ending.writeKnown')}
    </Note>
  );
}

function Ended(props: EndingProps) {
  const { run } = props;
  if (run.error && run.status !== 'cancelled') return <Failed {...props} error={run.error} />;
  if (run.status === 'cancelled') {
    return (
      <Note icon={Ban} action={<ResumeButton {...props} />}>
        {text(run.nodes.some(hasEnded) ? 'run.ending.cancelled' : 'run.ending.cancelledEmpty')}
      </Note>
    );
  }
  // A plan that waits is not an ending: its card offers what to do.
  if (waitingPlan(run)) return null;
  if (run.status === 'interrupted') {
    return (
      <Note icon={Unplug} action={<ResumeButton {...props} />}>
        {text('run.ending.interrupted')}
      </Note>
    );
  }
  if (run.status !== 'partial') return null;
  return (
    <Note icon={TriangleAlert} action={<ResumeButton {...props} />}>
      {run.nodes.some(({ status }) => status === 'failed' || status === 'skipped')
        ? text('run.ending.someFailed')
        : text('run.ending.writesMissing')}
    </Note>
  );
}

/** How a run ended unless it succeeded, and what to do next. */
export function RunEnding(props: EndingProps) {
  return (
    <>
      <Ended {...props} />
      <ChangedTools tools={changedInRun(props.run)} onRetry={props.onRetry} />
      <UnknownWrites run={props.run} onRun={props.onRun} />
    </>
  );
}

/** What the run ran out of, under its answer, with the button that continues it in a new run. */
export function RanOut({ run, onContinue }: { readonly run: RunState; readonly onContinue: () => void }) {
  if (!run.ranOut || hasUnknownOutcome(run)) return null;
  return (
    <Note
      icon={Hourglass}
      action={
        <Button tone="primary" className="shrink-0" onClick={onContinue}>
          {text('run.continue')}
        </Button>
      }
    >
      {text(`run.ranOut.${run.ranOut}`)}
    </Note>
  );
}

/** Says under an answer that is a question that the user's next message answers it. */
export function AsksBack({ run }: { readonly run: RunState }) {
  if (!run.asks) return null;
  return (
    <p className="mt-2 flex items-center gap-2 text-sm text-copper-text">
      <CircleHelp aria-hidden="true" className="size-4 shrink-0" />
      <span className="min-w-0">{text('run.asks')}</span>
    </p>
  );
}
