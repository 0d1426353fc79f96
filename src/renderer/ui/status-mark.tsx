import type { AppError } from '#shared/app-error';
import type { CallRecord } from '#shared/session-event';
import type { NodeState, RunState } from '#shared/session-state';
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleDotDashed,
  CircleHelp,
  CirclePause,
  CircleSlash,
  CircleX,
  LoaderCircle,
  MessageSquareText,
  TriangleAlert,
  Unplug,
  type LucideIcon,
} from 'lucide-react';
import { text } from '../locales/text';

export type StatusName = NodeState['status'] | RunState['status'] | CallRecord['outcome'] | 'declined';

/** The status that is shown: what the user declined is no failure. */
export const shownStatus = <Status extends StatusName>(
  status: Status,
  error: AppError | undefined,
): Status | 'declined' => (status === 'failed' && error?.code === 'APPROVAL_DENIED' ? 'declined' : status);

interface Look {
  readonly icon: LucideIcon;
  readonly colour: string;
}

const look = (icon: LucideIcon, colour: string): Look => ({ icon, colour });

const looks: Readonly<Record<StatusName, Look>> = {
  pending: look(CircleDashed, 'text-muted'),
  planning: look(CircleDotDashed, 'text-accent-text'),
  running: look(LoaderCircle, 'text-accent-text'),
  waiting: look(CirclePause, 'text-copper-text'),
  done: look(CircleCheck, 'text-accent-text'),
  answered: look(MessageSquareText, 'text-accent-text'),
  partial: look(TriangleAlert, 'text-copper-text'),
  failed: look(CircleX, 'text-danger-text'),
  skipped: look(CircleSlash, 'text-muted'),
  cancelled: look(Ban, 'text-muted'),
  declined: look(Ban, 'text-muted'),
  unknown: look(CircleHelp, 'text-copper-text'),
  interrupted: look(Unplug, 'text-copper-text'),
};

const turning: readonly StatusName[] = ['running', 'planning'];

export function statusWord(status: StatusName): string {
  return text(`ui.status.${status}`);
}

/** A status as icon and word; screen readers read the word even if only the icon is visible. */
export function StatusMark({ status, bare = false }: { status: StatusName; bare?: boolean }) {
  const { icon: Icon, colour } = looks[status];
  const spin = turning.includes(status) ? 'animate-spin' : '';
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 ${colour}`}>
      <Icon aria-hidden="true" className={`size-4 shrink-0 ${spin}`} strokeWidth={1.75} />
      <span className={bare ? 'sr-only' : 'text-sm font-medium'}>{statusWord(status)}</span>
    </span>
  );
}
