import type { RunState } from '#shared/session-state';
import { ChevronRight } from 'lucide-react';
import { text } from '../../locales/text';
import { formatSeconds } from '../../ui/format';

interface Thought {
  readonly stage: number;
  readonly text: string;
  /** 0 where it is not known. */
  readonly ms: number;
}

/** What the model thought while it planned, one entry for each stage with thinking, in order. */
function thoughtsOf({ said = [] }: Pick<RunState, 'said'>): readonly Thought[] {
  const stages = new Map<number, Thought>();
  for (const message of said) {
    if (message.role !== 'assistant') continue;
    for (const part of message.parts) {
      if (part.type !== 'thinking' || part.text.trim() === '') continue;
      const { stage } = message;
      const before = stages.get(stage);
      const words = before ? `${before.text}\n\n${part.text}` : part.text;
      stages.set(stage, { stage, text: words, ms: (before?.ms ?? 0) + (part.ms ?? 0) });
    }
  }
  return [...stages.values()];
}

function labelOf({ stage, ms }: Thought): string {
  if (ms === 0) return text('inspector.run.thoughts', { stage });
  return text('inspector.run.thought', { stage, time: formatSeconds(Math.max(1, Math.round(ms / 1_000))) });
}

/** What the model thought of each stage, folded. It is data: plain text. */
export function RunThinking({ run }: { readonly run: RunState }) {
  return thoughtsOf(run).map((thought) => (
    <details key={thought.stage} className="group/thinking mb-1 px-4">
      <summary className="-ms-1.5 flex min-h-6 w-fit max-w-full cursor-default list-none items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text">
        <ChevronRight aria-hidden className="size-3.5 shrink-0 group-open/thinking:rotate-(--quarter-turn)" />
        <span className="numbers min-w-0 wrap-anywhere">{labelOf(thought)}</span>
      </summary>
      <div
        dir="auto"
        className="mt-1 max-h-80 overflow-y-auto border-s-2 border-line ps-3 text-sm wrap-anywhere whitespace-pre-wrap text-muted"
      >
        {thought.text}
      </div>
    </details>
  ));
}
