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

export type StatusName = NodeState['status'] | RunState['status'] | CallRecord['outcome'];

interface Look {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly colour: string;
}

const look = (word: string, icon: LucideIcon, colour: string): Look => ({ word, icon, colour });

const looks: Readonly<Record<StatusName, Look>> = {
  pending: look('Waiting its turn', CircleDashed, 'text-muted'),
  planning: look('Planning', CircleDotDashed, 'text-accent-text'),
  running: look('Running', LoaderCircle, 'text-accent-text'),
  waiting: look('Needs you', CirclePause, 'text-copper-text'),
  done: look('Done', CircleCheck, 'text-accent-text'),
  answered: look('Answered', MessageSquareText, 'text-accent-text'),
  partial: look('Partly done', TriangleAlert, 'text-copper-text'),
  failed: look('Failed', CircleX, 'text-danger-text'),
  skipped: look('Skipped', CircleSlash, 'text-muted'),
  cancelled: look('Cancelled', Ban, 'text-muted'),
  unknown: look('Outcome unknown', CircleHelp, 'text-copper-text'),
  interrupted: look('Interrupted', Unplug, 'text-copper-text'),
};

const turning: readonly StatusName[] = ['running', 'planning'];

export function statusWord(status: StatusName): string {
  return looks[status].word;
}

/** A status as icon and word; screen readers read the word even if only the icon is visible. */
export function StatusMark({ status, bare = false }: { status: StatusName; bare?: boolean }) {
  const { word, icon: Icon, colour } = looks[status];
  const spin = turning.includes(status) ? 'animate-spin' : '';
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 ${colour}`}>
      <Icon aria-hidden="true" className={`size-4 shrink-0 ${spin}`} strokeWidth={1.75} />
      <span className={bare ? 'sr-only' : 'text-sm font-medium'}>{word}</span>
    </span>
  );
}
