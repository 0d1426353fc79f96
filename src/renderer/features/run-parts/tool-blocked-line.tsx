import { Ban } from 'lucide-react';
import { Button } from '../../ui/button';

export interface ToolBlockedLineProps {
  readonly tool: string;
  /** The focus was on the card that this line replaces. */
  readonly focused: boolean;
  readonly onReview: () => void;
}

/** A changed tool that the user left blocked: one line with a button to review it again. */
export function ToolBlockedLine({ tool, focused, onReview }: ToolBlockedLineProps) {
  return (
    <div
      role="group"
      aria-label={`${tool} is blocked`}
      className="flex items-center gap-3 rounded-lg border border-line bg-surface py-2 ps-3 pe-2 text-sm"
    >
      <Ban aria-hidden className="size-4 shrink-0 text-muted" />
      <p className="min-w-0 grow wrap-anywhere">
        <span className="font-mono text-xs">{tool}</span> stays blocked: its server changed it, and you kept
        it so.
      </p>
      <Button autoFocus={focused} onClick={onReview}>
        Review
      </Button>
    </div>
  );
}
