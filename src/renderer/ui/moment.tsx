import { formatDate, formatMoment } from './format';
import { useNow } from './use-now';
import { useClock } from './use-clock';

/** How often a time on the screen checks whether its day is over, in milliseconds. */
const checkMs = 600_000;

/** A time: today the hour, else with its day; the whole date as the tooltip. */
export function Moment({ at, className }: { readonly at: number; readonly className?: string }) {
  useClock();
  const now = useNow(checkMs, true);
  return (
    <time title={formatDate(at)} dateTime={new Date(at).toISOString()} className={className}>
      {formatMoment(at, now)}
    </time>
  );
}
