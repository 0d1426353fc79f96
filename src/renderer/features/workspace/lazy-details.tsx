import { useState, type ReactNode } from 'react';

interface LazyDetailsProps {
  /** The initial state. */
  readonly open: boolean;
  readonly className?: string;
  readonly summaryClassName: string;
  readonly summary: ReactNode;
  readonly children: () => ReactNode;
}

/** A disclosure whose content exists only while it is open: hundreds of closed ones cost next to nothing. */
export function LazyDetails({ open, className, summaryClassName, summary, children }: LazyDetailsProps) {
  const [shown, setShown] = useState(open);
  return (
    <details
      open={shown}
      onToggle={(event) => setShown(event.currentTarget.open)}
      {...(className !== undefined && { className })}
    >
      <summary className={summaryClassName}>{summary}</summary>
      {shown && children()}
    </details>
  );
}
