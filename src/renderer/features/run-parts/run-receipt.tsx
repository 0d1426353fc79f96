import { CircleHelp } from 'lucide-react';
import type { Receipt } from '#shared/receipt';
import type { RunState } from '#shared/session-state';
import { richText, text } from '../../locales/text';
import { Tooltip } from '../../ui/tooltip';

const how = text('runParts.receipt.how');

interface RowProps {
  readonly name: string;
  readonly cost: Receipt['used'];
  /** The larger of the two, which sets the scale of the bars. */
  readonly most: number;
  readonly ink: string;
}

function Row({ name, cost: { tokens, turns }, most, ink }: RowProps) {
  return (
    <div className="col-span-3 grid grid-cols-subgrid items-center">
      <dt className="text-muted">{name}</dt>
      <dd aria-hidden="true" className="h-1.5 min-w-8">
        <span
          style={{ width: `${(tokens / Math.max(1, most)) * 100}%` }}
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
    </div>
  );
}

/** Compares the two in words; empty if there is nothing to compare. */
function comparison({ used, direct }: Receipt): string {
  if (direct.tokens === 0) return '';
  const share = Math.round((used.tokens / direct.tokens) * 100);
  if (share === 100) return text('runParts.receipt.same');
  return share < 100
    ? text('runParts.receipt.fewer', { share: 100 - share })
    : text('runParts.receipt.more', { share: share - 100 });
}

/** The tokens of the run beside those of direct tool calling: a pair of bars with numbers. */
export function RunReceipt({ run: { receipt } }: { run: RunState }) {
  if (!receipt) return null;
  const { used, direct } = receipt;
  const most = Math.max(used.tokens, direct.tokens);
  return (
    <section aria-label={text('runParts.receipt.name')} className="numbers px-3 pb-3 text-xs">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 gap-y-1">
        <Row name={text('runParts.receipt.used')} cost={used} most={most} ink="bg-accent" />
        <Row name={text('runParts.receipt.direct')} cost={direct} most={most} ink="bg-line-strong" />
      </dl>
      <Tooltip text={how}>
        <button
          type="button"
          className="mt-1 -ms-1 flex min-h-6 items-center gap-1.5 rounded-md px-1 text-muted hover:text-text"
        >
          <CircleHelp aria-hidden="true" className="size-3.5" />
          {[comparison(receipt), text('runParts.receipt.estimate')].filter(Boolean).join(', ')}
        </button>
      </Tooltip>
    </section>
  );
}
