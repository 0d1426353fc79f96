import type { ReplyState } from '#shared/session-state';
import { ChevronRight } from 'lucide-react';
import { text } from '../../locales/text';
import { formatSeconds } from '../../ui/format';

interface ReplyThinkingProps {
  readonly thinking: NonNullable<ReplyState['thinking']>;
  /** The model has not gone on to its words yet. */
  readonly underWay: boolean;
}

/** What the model thought: one muted line with the time it took, and its words on demand. They are data: plain text. */
export function ReplyThinking({ thinking, underWay }: ReplyThinkingProps) {
  const seconds = Math.max(1, Math.round(thinking.ms / 1_000));
  return (
    <details className="group/thinking mb-2">
      <summary className="-ms-1.5 flex min-h-6 w-fit max-w-full cursor-default list-none items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text">
        <ChevronRight
          aria-hidden
          className="size-3.5 shrink-0 group-open/thinking:rotate-90 rtl:-scale-x-100 rtl:group-open/thinking:rotate-90"
        />
        <span className="numbers min-w-0 wrap-anywhere">
          {underWay ? text('message.thinking') : text('message.thought', { time: formatSeconds(seconds) })}
        </span>
      </summary>
      <div className="mt-1 max-h-80 overflow-y-auto border-s-2 border-line ps-3 text-sm wrap-anywhere whitespace-pre-wrap text-muted">
        {thinking.text}
      </div>
    </details>
  );
}
