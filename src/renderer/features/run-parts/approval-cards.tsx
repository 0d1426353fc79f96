import type { ApprovalEdit } from '#shared/approval';
import type { Result } from '#shared/result';
import type { ApprovalState, RunState } from '#shared/session-state';
import type { ApprovalAnswer } from '../../store/turn-actions';
import { ApprovalCard } from './approval-card';
import { titleOf } from './run-facts';

/** Groups open approvals by card, in the order in which they were requested. */
export function byCard(open: readonly ApprovalState[]): readonly (readonly ApprovalState[])[] {
  const cards = new Map<string, ApprovalState[]>();
  for (const approval of open) {
    const key = approval.card ?? approval.approvalId;
    cards.set(key, [...(cards.get(key) ?? []), approval]);
  }
  return [...cards.values()];
}

/**
 * The step that a question concerns: the one that its approval node announces, or the approval node itself.
 */
function subject(run: RunState, nodeId: string): string {
  return titleOf(run, run.announces?.[nodeId] ?? nodeId);
}

/** All open approvals of a run. */
export function ApprovalCards({
  run,
  open,
  onAnswer,
  onEdit,
}: {
  readonly run: RunState;
  readonly open: readonly ApprovalState[];
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onEdit: (edit: ApprovalEdit) => Promise<Result<null>>;
}) {
  return byCard(open).map((approvals) => (
    <ApprovalCard
      key={approvals[0]?.approvalId}
      planned={run.source === 'model'}
      approvals={approvals}
      steps={new Map(approvals.map(({ nodeId }) => [nodeId, subject(run, nodeId)]))}
      onAnswer={(answers, grant) =>
        onAnswer({ runId: run.runId, answers: [...answers], ...(grant && { grant }) })
      }
      {...(approvals.every(({ tool }) => tool.startsWith('mcp://')) && { onEdit })}
    />
  ));
}
