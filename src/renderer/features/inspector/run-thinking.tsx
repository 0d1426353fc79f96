import type { RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { formatSeconds } from '../../ui/format';
import { Thinking } from '../../ui/thinking';

interface Thought {
  readonly stage: number;
  readonly text: string;
  /** 0 where it is not known. */
  readonly ms: number;
}

/** What the model thought while it planned, one entry for each stage with thinking, in order. */
function thoughtsOf({ said: messages = [] }: Pick<RunState, 'said'>): readonly Thought[] {
  const stages = new Map<number, Thought>();
  for (const message of messages) {
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

/** What the model thought of each stage, folded. */
export function RunThinking({ run }: { readonly run: RunState }) {
  return thoughtsOf(run).map((thought) => (
    <div key={thought.stage} className="mb-1 px-4">
      <Thinking label={labelOf(thought)} words={thought.text} />
    </div>
  ));
}
