import { Ban } from 'lucide-react';
import { richText, text } from '../../locales/text';
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
      aria-label={text('runParts.blocked.name', { tool })}
      className="flex items-center gap-3 rounded-lg border border-line bg-surface py-2 ps-3 pe-2 text-sm"
    >
      <Ban aria-hidden className="size-4 shrink-0 text-muted" />
      <p className="min-w-0 grow wrap-anywhere">
        {richText('runParts.blocked.about', {
          tool,
          code: (inner) => <span className="font-mono text-xs">{inner}</span>,
        })}
      </p>
      <Button autoFocus={focused} onClick={onReview}>
        {text('runParts.blocked.review')}
      </Button>
    </div>
  );
}
