import { visibleControls } from '#shared/direction-controls';
import { text } from '../locales/text';
import { classNames } from './class-names';

/** A changed range of a text, line by line. */
export interface DiffHunk {
  /** Where the hunk begins in the old and in the new text; absent if lines have no numbers. */
  readonly oldStart?: number;
  readonly newStart?: number;
  readonly lines: readonly { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }[];
}

const signs = { same: ' ', added: '+', removed: '−' } as const;
const grounds = { same: '', added: 'bg-accent-soft', removed: 'bg-danger-soft' } as const;
const shownLines = 2_000;

/** The first lines of a diff, by hunk. */
function firstHunks(hunks: readonly DiffHunk[]): readonly DiffHunk[] {
  let left = shownLines;
  return hunks.flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= lines.length;
    return lines.length === 0 ? [] : [{ ...hunk, lines }];
  });
}

/** The changes of a text; a sign and a word repeat what the colour shows. */
export function DiffHunks({ hunks }: { readonly hunks: readonly DiffHunk[] }) {
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  return (
    <>
      {firstHunks(hunks).map((hunk, at) => (
        <section
          key={`${at} ${hunk.oldStart} ${hunk.newStart}`}
          className="border-t border-line first:border-t-0"
        >
          {hunk.oldStart !== undefined && (
            <p className="numbers bg-surface px-3 py-1 font-mono text-2xs text-muted">
              {text('ui.diff.lines', { old: hunk.oldStart, new: hunk.newStart ?? hunk.oldStart })}
            </p>
          )}
          {hunk.lines.map((line, row) => (
            <p key={row} className={classNames('flex px-3 font-mono text-xs leading-5', grounds[line.kind])}>
              <span aria-hidden className="w-4 shrink-0 text-muted select-none">
                {signs[line.kind]}
              </span>
              <span className="sr-only">{line.kind === 'same' ? '' : text(`ui.diffLine.${line.kind}`)}</span>
              <span dir="auto" className="readable min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere">
                {visibleControls(line.text) || ' '}
              </span>
            </p>
          ))}
        </section>
      ))}
      {lines > shownLines && (
        <p className="numbers border-t border-line px-3 py-1 text-xs text-muted">
          {text('ui.diff.more', { count: lines - shownLines })}
        </p>
      )}
    </>
  );
}
