import type { LucideIcon } from 'lucide-react';

/** How a status looks; colour is never the only sign. */
export interface IconWordProps {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly colour: string;
}

/** A status as an icon and a word. */
export function IconWord({ word, icon: Icon, colour }: IconWordProps) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-xs text-muted">
      <Icon aria-hidden size={12} className={colour} />
      {word}
    </span>
  );
}
