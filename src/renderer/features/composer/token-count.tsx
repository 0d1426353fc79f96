import { useCurrentSession } from '../../store/app-context';
import { estimateTokens } from '../../store/session-view';
import { Tooltip } from '../../ui/tooltip';

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** How far the conversation has grown. A number, not a ring: how much fits is known by the server alone. */
export function TokenCount() {
  const tokens = useCurrentSession(estimateTokens);
  if (tokens < 100) return null;
  return (
    <Tooltip side="top" text={`This conversation is about ${tokens.toLocaleString('en-US')} tokens long`}>
      <span className="numbers px-1 text-xs whitespace-nowrap text-muted max-narrow:hidden">
        ≈ {compact.format(tokens)} tokens
      </span>
    </Tooltip>
  );
}
