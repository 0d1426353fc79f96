import type { ReplyState, Turn } from '#shared/session-state';
import { Check, Copy, PanelRight, RotateCw, ScrollText } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatCount, formatDate, formatSpan, formatTime } from '../../ui/format';
import { IconButton } from '../../ui/icon-button';
import { hasUnknownOutcome } from '../run-parts/run-facts';

export interface FootActions {
  readonly onRetry: (turn: number) => void;
  readonly onOpenInspector: (turn: number) => void;
  /** Shows the model requests of this turn. */
  readonly onShowSent: (turn: number) => void;
  readonly onCopy: (text: string) => void;
}

/** Copies a text and confirms it briefly. */
export function CopyAction({
  text,
  label,
  onCopy,
}: {
  text: string;
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
      label={copied ? 'Copied' : label}
      onClick={() => {
        onCopy(text);
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
    const about = usage.estimated === true ? 'about ' : '';
    facts.push(`${about}${formatCount(usage.inputTokens)} in, ${formatCount(usage.outputTokens)} out`);
  }
  return facts.filter(Boolean).join(' · ');
}

function footOf({ reply, run }: Turn) {
  if (reply) return { text: reply.text, at: reply.endedAt, facts: factsOf(reply) };
  return { text: run?.answer ?? '', at: run?.endedAt, facts: '' };
}

/** The outcome of a turn and its actions; shown on hover and on keyboard focus. */
export function ReplyFoot({ turn, actions }: { turn: Turn; actions: FootActions }) {
  const { text, at, facts } = footOf(turn);
  return (
    <div className="turn-tools -ms-1.5 mt-1 flex h-7 items-center gap-0.5">
      {text !== '' && <CopyAction text={text} label="Copy reply" onCopy={actions.onCopy} />}
      {!(turn.run && hasUnknownOutcome(turn.run)) && (
        <IconButton icon={RotateCw} label="Retry" onClick={() => actions.onRetry(turn.turn)} />
      )}
      <IconButton
        icon={PanelRight}
        label="Open in the inspector"
        onClick={() => actions.onOpenInspector(turn.turn)}
      />
      {turn.steps && (
        <IconButton
          icon={ScrollText}
          label="What the model was sent"
          onClick={() => actions.onShowSent(turn.turn)}
        />
      )}
      <span className="numbers readable ms-1.5 truncate text-xs text-muted">
        {at !== undefined && <time title={formatDate(at)}>{formatTime(at)}</time>}
        {facts !== '' && ` · ${facts}`}
      </span>
    </div>
  );
}
