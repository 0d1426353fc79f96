import type { ToolChange } from '#shared/tool-pin';
import { ShieldAlert } from 'lucide-react';
import { richText, text } from '../../locales/text';
import { Button } from '../../ui/button';
import { DiffHunks } from '../../ui/diff-hunks';

export interface ToolChangeCardProps {
  /** The display name of the tool. */
  readonly tool: string;
  readonly change: ToolChange;
  readonly busy: boolean;
  readonly onAccept: (change: ToolChange) => void;
  /** Leaves the tool blocked. */
  readonly onBlock: () => void;
  /** The user just requested it, so it takes the focus. */
  readonly focused?: boolean;
}

/**
 * A tool whose definition differs from the one at its first use: the changes, and a button to accept them.
 */
export function ToolChangeCard({
  tool,
  change,
  busy,
  onAccept,
  onBlock,
  focused = false,
}: ToolChangeCardProps) {
  return (
    <section
      aria-label={text('runParts.change.name', { tool })}
      className="rounded-lg border border-copper/45 bg-copper-soft p-3"
    >
      <p className="flex items-start gap-2 text-sm">
        <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <span className="wrap-anywhere">
          {richText('runParts.change.about', {
            tool,
            code: (inner) => <span className="font-mono text-xs">{inner}</span>,
          })}
        </span>
      </p>
      <div
        role="region"
        tabIndex={0}
        aria-label={text('runParts.change.difference', { tool })}
        className="mt-2 max-h-64 overflow-auto rounded-md border border-line bg-code"
      >
        <DiffHunks hunks={[change]} />
      </div>
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <Button tone="quiet" autoFocus={focused} disabled={busy} onClick={onBlock}>
          {text('runParts.change.block')}
        </Button>
        <Button tone="primary" disabled={busy} onClick={() => onAccept(change)}>
          {text('runParts.change.accept')}
        </Button>
      </div>
    </section>
  );
}
