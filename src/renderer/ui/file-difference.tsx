import { visibleControls } from '#shared/direction-controls';
import { text } from '../locales/text';
import { DiffHunks, type DiffHunk } from './diff-hunks';
import { LazyDetails } from './lazy-details';

interface FileDifferenceProps {
  readonly file: {
    readonly path: string;
    readonly change: 'added' | 'removed' | 'changed';
    readonly hunks: readonly DiffHunk[];
  };
  /** Whether its lines are shown at first. */
  readonly open: boolean;
}

/** The card of one changed file; its lines exist only while it is open. */
export function FileDifference({ file, open }: FileDifferenceProps) {
  return (
    <LazyDetails
      open={open}
      className="group overflow-hidden rounded-lg border border-line"
      summaryClassName="flex items-baseline gap-2 bg-surface px-3 py-1.5 text-sm focus-visible:-outline-offset-2"
      summary={
        <>
          <span className="readable min-w-0 flex-1 font-mono text-xs wrap-anywhere">
            {visibleControls(file.path)}
          </span>
          <span className="shrink-0 text-xs text-muted">{text(`workspace.change.${file.change}`)}</span>
        </>
      }
    >
      {() => (
        <div className="border-t border-line">
          {file.hunks.length > 0 ? (
            <DiffHunks hunks={file.hunks} />
          ) : (
            <p className="px-3 py-2 text-xs text-muted">{text('workspace.changes.noLines')}</p>
          )}
        </div>
      )}
    </LazyDetails>
  );
}
