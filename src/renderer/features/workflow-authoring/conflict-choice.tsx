import { GitCompareArrows } from 'lucide-react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { classNames } from '../../ui/class-names';
import type { Conflict } from './draft-edits';
import { shownText } from '../../ui/json-text';

interface SideProps {
  readonly label: string;
  readonly value: string;
}

/** One of the two texts in full; a long text scrolls. */
function Side({ label, value }: SideProps) {
  return (
    <div className="min-w-0">
      <p className="text-xs text-muted">{label}</p>
      <div
        dir="auto"
        role="region"
        aria-label={label}
        tabIndex={0}
        className={classNames(
          'readable mt-0.5 max-h-48 overflow-y-auto rounded-md border border-line bg-canvas px-2.5 py-1.5 text-sm whitespace-pre-wrap wrap-anywhere',
          value === '' && 'text-muted',
        )}
      >
        {value === '' ? text('workflowAuthoring.conflict.empty') : value}
      </div>
    </div>
  );
}

export interface ConflictChoiceProps {
  readonly label: string;
  readonly conflict: Conflict;
  readonly onKeepLocal: () => void;
  readonly onAcceptRemote: () => void;
}

/**
 * Two values of one field and the choice between them; until the user chooses, neither overwrites the other.
 */
export function ConflictChoice({ label, conflict, onKeepLocal, onAcceptRemote }: ConflictChoiceProps) {
  return (
    <section
      role="group"
      aria-label={text('workflowAuthoring.conflict.label', { field: label })}
      className="mt-1.5 rounded-lg border border-copper/45 bg-copper-soft p-3"
    >
      <p className="flex items-start gap-1.5 text-sm font-medium">
        <GitCompareArrows aria-hidden size={14} className="mt-0.5 shrink-0 text-copper-text" />
        <span className="min-w-0">{text('workflowAuthoring.conflict.text')} </span>
      </p>
      <div className="mt-2 grid gap-3 narrow:grid-cols-2">
        <Side label={text('workflowAuthoring.conflict.mine')} value={shownText(conflict.yours)} />
        <Side label={text('workflowAuthoring.conflict.theirs')} value={shownText(conflict.theirs)} />
      </div>
      <div className="mt-2.5 flex flex-wrap justify-end gap-2">
        <Button onClick={onAcceptRemote}>{text('workflowAuthoring.conflict.takeTheirs')}</Button>
        <Button tone="primary" onClick={onKeepLocal}>
          {text('workflowAuthoring.conflict.keepMine')}
        </Button>
      </div>
    </section>
  );
}
