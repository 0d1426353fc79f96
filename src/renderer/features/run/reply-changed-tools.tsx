import type { Turn } from '#shared/session-state';
import type { TurnActions } from '../../store/turn-actions';
import { ChangedTools, changedInReply } from './changed-tools';

/** The changed tools that a model requested during its reply, in Ask or in a workflow. */
export function ReplyChangedTools({ turn, onRetry }: { readonly turn: Turn } & Pick<TurnActions, 'onRetry'>) {
  return <ChangedTools tools={changedInReply(turn)} onRetry={() => onRetry(turn.turn)} />;
}
