import type { RunState } from '#shared/session-state';
import { formatMany, formatSpan } from '../../ui/format';
import { spanOf, titleOf, type RunFacts } from '../run-parts/run-facts';
import { useNow } from '../../ui/use-now';

const sources = {
  recipe: 'from a recipe',
  file: 'from a file',
  model: 'planned by the model',
  earlier: 'an earlier plan of this goal',
} as const;

function sourceOf(run: RunState): string | undefined {
  if (run.recipeId !== undefined) return `recipe ${run.recipeId}`;
  return run.source && sources[run.source];
}

/** One line of what people count: nodes, time, calls, and where it is now. */
export function RunNumbers({ run, facts }: { run: RunState; facts: RunFacts }) {
  const now = useNow(100, facts.active);
  // An interruption ends nodes that did nothing: only what was done counts.
  const done = run.nodes.filter(({ status }) => status === 'done').length;
  const ended = run.status === 'interrupted' ? done : facts.ended;
  const parts = [
    facts.total > 0 ? `${ended}/${formatMany(facts.total, 'node')}` : undefined,
    formatSpan(spanOf(run, now) ?? 0),
    facts.total > 0 ? formatMany(facts.calls, 'call') : undefined,
    run.answerCached ? 'answer cached' : undefined,
    run.paused ? 'paused' : facts.current ? titleOf(run, facts.current.id) : sourceOf(run),
  ];
  return <p className="numbers mt-0.5 truncate text-sm text-muted">{parts.filter(Boolean).join(' · ')}</p>;
}
