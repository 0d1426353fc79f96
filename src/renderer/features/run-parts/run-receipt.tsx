import { CircleHelp } from 'lucide-react';
import { prices, type Receipt, type ReceiptParts } from '#shared/receipt';
import type { RunState } from '#shared/session-state';
import { richText, text } from '../../locales/text';
import { Tooltip } from '../../ui/tooltip';

const how = text('runParts.receipt.how');

interface RowProps {
  readonly name: string;
  readonly cost: Receipt['used'];
  /** The larger of the two, which sets the scale of the bars. */
  readonly maxTokens: number;
  readonly ink: string;
}

const partsText = ({ fresh, cached, output }: ReceiptParts): string =>
  cached === null
    ? text('runParts.receipt.partsUnknown', { fresh, output })
    : text('runParts.receipt.parts', { fresh, cached, output });

function Row({ name, cost: { tokens, turns, parts }, maxTokens, ink }: RowProps) {
  return (
    <div className="col-span-3 grid grid-cols-subgrid items-center">
      <dt className="text-muted">{name}</dt>
      <dd aria-hidden="true" className="h-1.5 min-w-8">
        <span
          style={{ width: `${(tokens / Math.max(1, maxTokens)) * 100}%` }}
          className={`block h-full rounded-full ${tokens > 0 ? 'min-w-0.5' : ''} ${ink}`}
        />
      </dd>
      <dd className="text-end">
        {richText('runParts.receipt.cost', {
          tokens,
          turns,
          muted: (inner) => <span className="text-muted">{inner}</span>,
        })}
      </dd>
      {parts && <dd className="col-span-3 text-end text-2xs text-muted">{partsText(parts)}</dd>}
    </div>
  );
}

/** A share in whole percent; what was used is never shown as nothing. */
const percentOf = (used: number, direct: number): number =>
  Math.max(used > 0 ? 1 : 0, Math.round((used / direct) * 100));

/** Compares the two in words; empty if there is nothing to compare. */
function comparison({ used, direct }: Receipt): string {
  if (direct.tokens === 0) return '';
  if (used.tokens === 0) return text('runParts.receipt.noModel');
  const share = percentOf(used.tokens, direct.tokens);
  if (share === 100) return text('runParts.receipt.same');
  return share < 100
    ? text('runParts.receipt.fewer', { share: 100 - share })
    : text('runParts.receipt.more', { share: share - 100 });
}

/** Compares the prices in words; empty for receipts of earlier versions. */
function priceComparison(receipt: Receipt): string {
  const priced = prices(receipt);
  if (!priced || priced.direct === 0 || receipt.used.tokens === 0) return '';
  const share = percentOf(priced.used, priced.direct);
  if (share === 100) return '';
  return share < 100
    ? text('runParts.receipt.cheaper', { share: 100 - share })
    : text('runParts.receipt.dearer', { share: share - 100 });
}

/** The tokens of the run beside those of direct tool calling: a pair of bars with numbers. */
export function RunReceipt({ run: { receipt } }: { run: RunState }) {
  if (!receipt) return null;
  const { used, direct } = receipt;
  const maxTokens = Math.max(used.tokens, direct.tokens);
  return (
    <section aria-label={text('runParts.receipt.name')} className="numbers px-3 pb-3 text-xs">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 gap-y-1">
        <Row name={text('runParts.receipt.used')} cost={used} maxTokens={maxTokens} ink="bg-accent" />
        <Row
          name={text('runParts.receipt.direct')}
          cost={direct}
          maxTokens={maxTokens}
          ink="bg-line-strong"
        />
      </dl>
      <Tooltip text={how}>
        <button
          type="button"
          className="mt-1 -ms-1 flex min-h-6 items-center gap-1.5 rounded-md px-1 text-muted hover:text-text"
        >
          <CircleHelp aria-hidden="true" className="size-3.5" />
          {[comparison(receipt), priceComparison(receipt), text('runParts.receipt.estimate')]
            .filter(Boolean)
            .join(', ')}
        </button>
      </Tooltip>
    </section>
  );
}
