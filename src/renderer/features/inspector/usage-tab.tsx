import type { SessionState, Turn } from '#shared/session-state';
import { costOfSpent, freshTokens, hitRate, totalSpent, type ModelSpent, type PriceOf } from '#shared/spent';
import { activePath } from '#shared/turn-tree';
import { Gauge } from 'lucide-react';
import { text } from '../../locales/text';
import { sessionSpent } from '../../store/model-prices';
import { costText } from '../../ui/cost-text';
import { formatCount } from '../../ui/format';
import { TokenBar } from '../../ui/token-bar';
import { EmptyState } from './empty-state';

interface SpentProps {
  readonly name: string;
  readonly spent: readonly ModelSpent[];
  readonly priceOf: PriceOf;
}

const labels = ['uncached', 'cached', 'written', 'output', 'thinking'] as const;

/** Tokens by kind, hit rate and cost of some calls. */
function Spent({ name, spent, priceOf }: SpentProps) {
  const total = totalSpent(spent);
  const rate = hitRate(total);
  const values = {
    uncached: freshTokens(total),
    cached: total.cachedTokens,
    written: total.cacheWriteTokens,
    output: total.outputTokens,
    thinking: total.reasoningTokens,
  };
  return (
    <section aria-label={name} className="flex flex-col gap-1.5 border-b border-line px-4 py-3">
      <div className="flex items-baseline gap-2">
        <h4 className="min-w-0 flex-1 truncate text-sm font-medium">{name}</h4>
        <span className="numbers text-sm">{costText(costOfSpent(spent, priceOf), total.calls)}</span>
      </div>
      <TokenBar {...values} />
      <dl className="numbers grid grid-cols-[repeat(auto-fit,minmax(5.5rem,1fr))] gap-x-3 gap-y-1 text-xs">
        {labels.map((label) => (
          <div key={label}>
            <dt className="text-muted">{text(`inspector.usage.kinds.${label}`)}</dt>
            <dd>{formatCount(values[label])}</dd>
          </div>
        ))}
        <div>
          <dt className="text-muted">{text('inspector.usage.hitRate')}</dt>
          <dd>{rate === null ? text('inspector.usage.notReported') : `${Math.round(rate * 100)} %`}</dd>
        </div>
      </dl>
      {total.estimated > 0 && (
        <p className="text-xs text-muted">{text('inspector.usage.estimated', { count: total.estimated })}</p>
      )}
    </section>
  );
}

interface UsageTabProps {
  readonly session: SessionState | undefined;
  /** The requested turn; undefined shows the newest with a model call. */
  readonly turn: Turn | undefined;
  readonly priceOf: PriceOf;
}

/** The tokens and the cost of a turn, of the session, and of each model in it. */
export function UsageTab({ session, turn, priceOf }: UsageTabProps) {
  const shown = turn ?? (session && activePath(session).findLast(({ spent }) => spent));
  const all = session ? sessionSpent(session) : [];
  if (all.length === 0) {
    return (
      <EmptyState icon={Gauge} title={text('inspector.usage.none')}>
        {text('inspector.usage.empty')}
      </EmptyState>
    );
  }
  const names = [...new Set(all.map(({ model }) => `${model.providerId}/${model.model}`))];
  const ofModel = (name: string) => all.filter(({ model }) => `${model.providerId}/${model.model}` === name);
  return (
    <>
      {shown?.spent && (
        <Spent
          name={text('inspector.usage.turn', { turn: shown.turn + 1 })}
          spent={shown.spent}
          priceOf={priceOf}
        />
      )}
      <Spent name={text('inspector.usage.session')} spent={all} priceOf={priceOf} />
      {names.map((name) => (
        <Spent key={name} name={name} spent={ofModel(name)} priceOf={priceOf} />
      ))}
    </>
  );
}
