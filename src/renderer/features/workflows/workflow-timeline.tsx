import type { Turn } from '#shared/session-state';
import type { WorkflowErrorKind } from '#shared/workflow-event';
import type { WorkflowTimelineEvent } from '#shared/workflow-state';
import {
  CircleCheck,
  CircleSlash,
  ClipboardList,
  Play,
  ShieldCheck,
  ShieldX,
  TriangleAlert,
} from 'lucide-react';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { EntityName } from '../../ui/entity-name';
import { shortText } from '../../ui/short-text';

const choiceWords = { retry: 'Retry', correct: 'Correct', cancel: 'Cancel' } as const;
const longest = 600;

function lineOf(moment: Exclude<WorkflowTimelineEvent, { kind: 'error' } | { kind: 'ended' }>) {
  switch (moment.kind) {
    case 'started':
      return { Icon: Play, before: 'Workflow started: ', text: moment.title };
    case 'inputs-given':
      return { Icon: ClipboardList, before: '', text: 'The workflow has the answers it needs.' };
    case 'approval': {
      const { action, approved } = moment.approval;
      return {
        Icon: approved ? ShieldCheck : ShieldX,
        before: approved ? 'Approved: ' : 'Not approved: ',
        text: action,
      };
    }
    case 'choice':
      return { Icon: CircleCheck, before: 'You chose: ', text: choiceWords[moment.choice] };
  }
}

/** Errors that are not rule violations have their own names. */
const errorWords: Readonly<Partial<Record<WorkflowErrorKind, string>>> = {
  'tool-failed': 'Step failed',
  'precondition-failed': 'Not possible now',
  drift: 'Halted',
};

type ErrorEvent = Extract<WorkflowTimelineEvent, { kind: 'error' }>;

/** Opens the definition that differs from the approved one, where the user resolves the difference. */
function ErrorChoices({ moment: { problem, workflowId } }: { readonly moment: ErrorEvent }) {
  const { view } = useApp();
  if (problem.kind !== 'drift' || workflowId === undefined) return null;
  return (
    <div className="mt-2 flex justify-end">
      <Button onClick={() => view.set({ dialog: { kind: 'workflows', workflowId } })}>
        Read and settle it
      </Button>
    </div>
  );
}

/** A workflow error, shown to the user and not only logged. */
function WorkflowErrorLine({ moment }: { readonly moment: ErrorEvent }) {
  return (
    <div
      role="note"
      aria-label="Workflow error"
      className="rounded-lg border border-line bg-danger-soft p-3 text-sm"
    >
      <p className="flex items-start gap-2">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger-text" />
        <span className="readable min-w-0 wrap-anywhere">
          <strong className="font-medium">{errorWords[moment.problem.kind] ?? 'Workflow rule'}: </strong>
          <bdi>{shortText(moment.problem.message, longest)}</bdi>
        </span>
      </p>
      <ErrorChoices moment={moment} />
    </div>
  );
}

/**
 * How the workflow ended and its possible follow-ups; a follow-up goes into the composer, where the user
 * sends it.
 */
function EndedLine({ moment }: { readonly moment: Extract<WorkflowTimelineEvent, { kind: 'ended' }> }) {
  const { commands } = useApp();
  const { title, outcome, summary, followUps } = moment;
  const done = outcome === 'completed';
  const Icon = done ? CircleCheck : CircleSlash;
  return (
    <div className="rounded-lg border border-line bg-surface p-3 text-sm">
      <p className="flex items-center gap-2 font-medium">
        <Icon aria-hidden className="size-4 shrink-0" />
        <span className="min-w-0 wrap-anywhere">
          {done ? 'Workflow completed' : 'Workflow ended'}: <EntityName text={title} />
        </span>
      </p>
      {summary !== '' && (
        <p dir="auto" className="mt-1 whitespace-pre-line text-muted wrap-anywhere">
          {shortText(summary, longest)}
        </p>
      )}
      {followUps.length > 0 && (
        <ul aria-label="What could come next" className="mt-2 flex flex-wrap gap-2">
          {followUps.map(({ text }) => (
            <li key={text} className="max-w-full">
              <Button className="max-w-full" onClick={() => commands.suggest(text)}>
                <EntityName text={text} className="truncate" />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface TimelineLineProps {
  readonly moment: WorkflowTimelineEvent;
  readonly said: boolean;
}

function TimelineLine({ moment, said }: TimelineLineProps) {
  if (said) return moment.kind === 'error' ? <ErrorChoices moment={moment} /> : null;
  if (moment.kind === 'error') return <WorkflowErrorLine moment={moment} />;
  if (moment.kind === 'ended') return <EndedLine moment={moment} />;
  const { Icon, before, text } = lineOf(moment);
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {before}
        <bdi>{shortText(text, longest)}</bdi>
      </span>
    </p>
  );
}

/** Whether the line's own command, or the question before it, already says the same. */
function isRepeated({ command, questions = [] }: Turn, moment: WorkflowTimelineEvent): boolean {
  const asked = (text: string) => questions.some((question) => question.text === text);
  switch (moment.kind) {
    case 'started':
      return moment.by === 'user' ? command !== undefined : asked(`Start the workflow “${moment.title}”?`);
    case 'approval':
      return asked(moment.approval.action);
    case 'error':
      return command?.error?.message === moment.problem.message;
    default:
      return false;
  }
}

export interface WorkflowTimelineProps {
  readonly turn: Turn;
  readonly moments: readonly WorkflowTimelineEvent[];
}

/** Some workflow events of a line. */
export function WorkflowTimeline({ turn, moments }: WorkflowTimelineProps) {
  return moments.map((moment, at) => (
    <TimelineLine key={`${at} ${moment.kind}`} moment={moment} said={isRepeated(turn, moment)} />
  ));
}
