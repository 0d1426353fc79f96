import { waitingPlan, type ReplyState, type Turn } from '#shared/session-state';
import type { Siblings } from '#shared/turn-tree';
import { Check, Copy, CornerLeftUp, GitFork, PanelRight, Replace, RotateCw, ScrollText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useTurnCost } from '../../store/model-prices';
import { costText } from '../../ui/cost-text';
import { formatSpan } from '../../ui/format';
import { IconButton } from '../../ui/icon-button';
import { Moment } from '../../ui/moment';
import { BranchSwitch } from './branch-switch';
import { hasUnknownOutcome, isCommandRun } from '../../store/session-view';

export interface FootActions {
  readonly onRegenerate: (turn: number) => void;
  readonly onOtherModel: (turn: number) => void;
  readonly onChooseBranch: (turn: number) => void;
  readonly onAnnounce: (text: string) => void;
  readonly onFork: (turn: number) => void;
  readonly onGoBackTo: (turn: number) => void;
  readonly onOpenInspector: (turn: number) => void;
  /** Shows the model requests of this turn. */
  readonly onShowSent: (turn: number) => void;
  readonly onCopy: (text: string) => void;
}

/** Copies a text and confirms it briefly. */
export function CopyAction({
  content,
  label,
  onCopy,
}: {
  content: string;
  label: string;
  onCopy: (text: string) => void;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_600);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      icon={copied ? Check : Copy}
      label={copied ? text('message.copied') : label}
      onClick={() => {
        onCopy(content);
        setCopied(true);
      }}
    />
  );
}

function factsOf(reply: ReplyState): string {
  const facts = [
    reply.providerName,
    reply.model.model === reply.model.providerId ? undefined : reply.model.model,
  ];
  if (reply.endedAt !== undefined) facts.push(formatSpan(reply.endedAt - reply.startedAt));
  const { usage } = reply;
  if (usage && usage.inputTokens + usage.outputTokens > 0) {
    const key = usage.estimated === true ? 'message.usageEstimated' : 'message.usage';
    facts.push(text(key, { input: usage.inputTokens, output: usage.outputTokens }));
  }
  return facts.filter(Boolean).join(' · ');
}

function footOf({ reply, run }: Turn) {
  if (reply) return { written: reply.text, at: reply.endedAt, facts: factsOf(reply) };
  return { written: run?.answer ?? '', at: run?.endedAt, facts: '' };
}

/** Whether the card that says how the turn ended offers to answer its line again. */
function endingOffersRetry({ reply, run }: Turn): boolean {
  if (reply) return reply.status === 'failed' && reply.error !== undefined;
  if (!run || run.status === 'answered' || waitingPlan(run)) return false;
  return run.status !== 'done' || run.error !== undefined;
}

interface ReplyFootProps {
  readonly turn: Turn;
  readonly actions: FootActions;
  readonly siblings: Siblings | undefined;
}

/**
 * The outcome of a turn and its actions; shown on hover and on keyboard focus. It lies in the space between two
 * turns, so that hidden actions take none.
 */
export function ReplyFoot({ turn, actions, siblings }: ReplyFootProps) {
  const { written, at, facts } = footOf(turn);
  const spent = useTurnCost(turn);
  const canRepeat = !(turn.run && hasUnknownOutcome(turn.run));
  return (
    <div className="-ms-1.5 -mb-7 flex h-7 items-center gap-0.5">
      {siblings && (
        <BranchSwitch
          of="reply"
          turn={turn.turn}
          among={siblings.replies}
          onChoose={actions.onChooseBranch}
          onAnnounce={actions.onAnnounce}
        />
      )}
      <div className="turn-tools flex min-w-0 items-center gap-0.5">
        {written !== '' && (
          <CopyAction content={written} label={text('message.copyReply')} onCopy={actions.onCopy} />
        )}
        {canRepeat && !endingOffersRetry(turn) && (
          <IconButton
            icon={RotateCw}
            label={text('message.retry')}
            onClick={() => actions.onRegenerate(turn.turn)}
          />
        )}
        {canRepeat && !isCommandRun(turn) && (
          <IconButton
            data-other-model
            icon={Replace}
            label={text('message.retryOther')}
            onClick={() => actions.onOtherModel(turn.turn)}
          />
        )}
        <IconButton
          icon={PanelRight}
          label={text('shared.openInspector')}
          onClick={() => actions.onOpenInspector(turn.turn)}
        />
        <IconButton icon={GitFork} label={text('message.fork')} onClick={() => actions.onFork(turn.turn)} />
        <IconButton
          icon={CornerLeftUp}
          label={text('message.goBack')}
          onClick={() => actions.onGoBackTo(turn.turn)}
        />
        {turn.steps && (
          <IconButton
            icon={ScrollText}
            label={text('message.sent')}
            onClick={() => actions.onShowSent(turn.turn)}
          />
        )}
        <span className="numbers readable ms-1.5 truncate text-xs text-muted">
          {at !== undefined && <Moment at={at} />}
          {facts !== '' && ` · ${facts}`}
          {spent && ` · ${costText(spent.cost, spent.calls)}`}
        </span>
      </div>
    </div>
  );
}
