import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names';

export interface InlineSelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
  readonly className?: string;
  /** Rendered before the select; without it, the label is only read aloud. */
  readonly children?: ReactNode;
}

/** A native select for one of a few choices. */
export function InlineSelect<T extends string>(props: InlineSelectProps<T>) {
  const { label, value, options, onChange, className, children } = props;
  return (
    <label className={classNames('flex min-w-0 items-center gap-2', className)}>
      {children}
      <span className="relative min-w-0">
        <select
          aria-label={label}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value as T)}
          className="h-7 max-w-full appearance-none rounded-md border border-line-strong bg-canvas pe-7 ps-2 text-sm text-text outline-none focus:border-accent"
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden className="pointer-events-none absolute top-1.5 end-1.5 size-4 text-muted" />
      </span>
    </label>
  );
}
