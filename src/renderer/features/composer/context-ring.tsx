import { TriangleAlert } from 'lucide-react';
import { text } from '../../locales/text';
import { classNames } from '../../ui/class-names';
import { Tooltip } from '../../ui/tooltip';

export interface ContextRingProps {
  /** The used share of the context; above 1, the conversation is longer than the model can read. */
  readonly share: number;
  /** The usage in words. */
  readonly about: string;
  /** The size of the context in tokens. */
  readonly fits: number;
}

const radius = 5.5;
const around = 2 * Math.PI * radius;

function colourOf(share: number): string {
  if (share >= 1) return 'stroke-danger';
  return share > 0.8 ? 'stroke-copper' : 'stroke-accent';
}

/** A ring that shows how much of the model's context the conversation fills. */
export function ContextRing({ share, about, fits }: ContextRingProps) {
  const full = share >= 1;
  const percent = share > 0 && share < 0.01 ? '< 1 %' : `${Math.round(share * 100)} %`;
  const used = text('composer.context.used', { about, fits });
  return (
    <Tooltip
      side="top"
      text={full ? text('composer.context.full', { used }) : text('composer.context.conversation', { used })}
    >
      <span
        role="img"
        aria-label={text('composer.context.name', { percent, used })}
        className={classNames(
          'numbers flex items-center gap-1 px-1 text-xs whitespace-nowrap',
          full ? 'text-danger-text' : 'text-muted',
        )}
      >
        {full ? (
          <TriangleAlert aria-hidden size={13} />
        ) : (
          <svg aria-hidden viewBox="0 0 14 14" className="size-3.5 -rotate-(--quarter-turn)">
            <circle cx="7" cy="7" r={radius} fill="none" strokeWidth="2.5" className="stroke-track" />
            <circle
              cx="7"
              cy="7"
              r={radius}
              fill="none"
              strokeWidth="2.5"
              strokeDasharray={`${Math.max(share, 0.02) * around} ${around}`}
              className={colourOf(share)}
            />
          </svg>
        )}
        {percent}
      </span>
    </Tooltip>
  );
}
