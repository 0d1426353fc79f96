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
import { richText, text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { EntityName } from '../../ui/entity-name';
import { shortText } from '../../ui/short-text';

const maxLength = 600;

/** The icon, the key and the name in it of a one-line event. */
function lineOf(moment: Exclude<WorkflowTimelineEvent, { kind: 'error' } | { kind: 'ended' }>) {
  switch (moment.kind) {
    case 'started':
      return { Icon: Play, key: 'workflows.timeline.started', name: moment.title } as const;
    case 'inputs-given':
      return { Icon: ClipboardList, key: 'workflows.timeline.inputs', name: '' } as const;
    case 'approval':
      return moment.approval.approved
        ? ({ Icon: ShieldCheck, key: 'workflows.timeline.approved', name: moment.approval.action } as const)
        : ({ Icon: ShieldX, key: 'workflows.timeline.notApproved', name: moment.approval.action } as const);
    case 'choice': {
      const name = text(`workflows.timeline.choice.${moment.choice}`);
      return { Icon: CircleCheck, key: 'workflows.timeline.chose', name } as const;
    }
  }
}

/** Errors that are not rule violations have their own names. */
const errorTexts: Readonly<Partial<Record<WorkflowErrorKind, 'toolFailed' | 'precondition' | 'drift'>>> = {
  'tool-failed': 'toolFailed',
  'precondition-failed': 'precondition',
  drift: 'drift',
};

type ErrorEvent = Extract<WorkflowTimelineEvent, { kind: 'error' }>;

/** Opens the definition that differs from the approved one, where the user resolves the difference. */
function ErrorChoices({ moment: { problem, workflowId } }: { readonly moment: ErrorEvent }) {
  const { view } = useApp();
  if (problem.kind !== 'drift' || workflowId === undefined) return null;
  return (
    <div className="mt-2 flex justify-end">
      <Button onClick={() => view.set({ dialog: { kind: 'workflows', workflowId } })}>
        {text('workflows.timeline.review')}
      </Button>
    </div>
  );
}

/** A workflow error, shown to the user and not only logged. */
function WorkflowErrorLine({ moment }: { readonly moment: ErrorEvent }) {
  return (
    <div
      role="note"
      aria-label={text('workflows.timeline.error')}
      className="rounded-lg border border-line bg-danger-soft p-3 text-sm"
    >
      <p className="flex items-start gap-2">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger-text" />
        <span className="readable min-w-0 wrap-anywhere">
          <strong className="font-medium">
            {text(`workflows.timeline.errors.${errorTexts[moment.problem.kind] ?? 'rule'}`)}:{' '}
          </strong>
          <bdi>{shortText(moment.problem.message, maxLength)}</bdi>
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
          {richText(done ? 'workflows.timeline.completed' : 'workflows.timeline.ended', {
            title: () => <EntityName text={title} />,
          })}
        </span>
      </p>
      {summary !== '' && (
        <p dir="auto" className="mt-1 whitespace-pre-line text-muted wrap-anywhere">
          {shortText(summary, maxLength)}
        </p>
      )}
      {followUps.length > 0 && (
        <ul aria-label={text('workflows.timeline.next')} className="mt-2 flex flex-wrap gap-2">
          {followUps.map(({ text: suggestion }) => (
            <li key={suggestion} className="max-w-full">
              <Button className="max-w-full" onClick={() => commands.suggest(suggestion)}>
                <EntityName text={suggestion} className="truncate" />
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
  readonly repeated: boolean;
}

function TimelineLine({ moment, repeated }: TimelineLineProps) {
  if (repeated) return moment.kind === 'error' ? <ErrorChoices moment={moment} /> : null;
  if (moment.kind === 'error') return <WorkflowErrorLine moment={moment} />;
  if (moment.kind === 'ended') return <EndedLine moment={moment} />;
  const { Icon, key, name } = lineOf(moment);
  return (
    <p className="flex items-start gap-2 text-sm text-muted">
      <Icon aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {richText(key, { text: () => <bdi>{shortText(name, maxLength)}</bdi> })}
      </span>
    </p>
  );
}

/** Whether the line's own command, or the question before it, already says the same. */
function isRepeated({ command, questions = [] }: Turn, moment: WorkflowTimelineEvent): boolean {
  const isQuestion = (question: string) => questions.some((one) => one.text === question);
  switch (moment.kind) {
    case 'started':
      return moment.by === 'user'
        ? command !== undefined
        : isQuestion(`Start the workflow “${moment.title}”?`);
    case 'approval':
      return isQuestion(moment.approval.action);
    case 'error':
      return command?.error?.message === moment.problem.message;
    default:
      return false;
  }
}

export interface WorkflowTimelineProps {
  readonly turn: Turn;
  readonly moment: WorkflowTimelineEvent;
}

/** A workflow event of a line. */
export function WorkflowTimeline({ turn, moment }: WorkflowTimelineProps) {
  return <TimelineLine moment={moment} repeated={isRepeated(turn, moment)} />;
}
