import type { RunState } from '#shared/session-state';
import { formatCount, formatMany } from './format';
import { Tooltip } from './tooltip';

const how =
  'An estimate: the same calls by ordinary function calling, where every tool’s schema, the goal and every result so far are sent again on every turn. Calls made together count as one turn; tokens are counted in the o200k encoding.';

/** What the run used beside what direct calling would have used; one quiet line. */
export function RunReceipt({ run: { receipt } }: { run: RunState }) {
  if (!receipt) return null;
  const { used, direct } = receipt;
  return (
    <Tooltip text={how}>
      <button type="button" className="numbers block px-3 pb-2.5 text-start text-xs text-muted">
        Used {formatCount(used.tokens)} tokens in {formatMany(used.turns, 'turn')}; direct calling about{' '}
        {formatCount(direct.tokens)} in {formatMany(direct.turns, 'turn')} (estimate)
      </button>
    </Tooltip>
  );
}
