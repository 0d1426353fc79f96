import { Fragment, useMemo, type ReactNode } from 'react';
import { visibleControls } from '#shared/direction-controls';
import type { FileChange, TextHunk } from '#shared/file-change';
import { text } from '../../locales/text';
import { classNames } from '../../ui/class-names';
import { formatBytes } from '../../ui/format';
import { useCodeLines } from '../../ui/markdown/code-text';

const signs = { same: ' ', added: '+', removed: '−', note: ' ' } as const;
const grounds = { same: '', added: 'bg-accent-soft', removed: 'bg-danger-soft', note: 'text-muted' } as const;

interface NumberedLine {
  readonly kind: TextHunk['lines'][number]['kind'];
  readonly text: string;
  readonly old?: number;
  readonly now?: number;
}

function numbered({ oldStart, newStart, lines }: TextHunk): readonly NumberedLine[] {
  let [old, now] = [oldStart, newStart];
  return lines.map((line) => {
    switch (line.kind) {
      case 'same':
        return { ...line, old: old++, now: now++ };
      case 'removed':
        return { ...line, old: old++ };
      case 'added':
        return { ...line, now: now++ };
      case 'note':
        return line;
    }
  });
}

const extensionOf = (path: string): string => /\.([a-z0-9+#]{1,20})$/i.exec(path)?.[1] ?? '';

function LineNumber({ value }: { readonly value: number | undefined }) {
  return <span className="numbers w-9 shrink-0 pe-2 text-end text-muted select-none">{value}</span>;
}

/** One changed range; the lines of each side are coloured as one text. */
function Hunk({ hunk, language }: { readonly hunk: TextHunk; readonly language: string }) {
  const lines = useMemo(() => numbered(hunk), [hunk]);
  const side = (other: 'added' | 'removed') =>
    lines.filter(({ kind }) => kind !== other && kind !== 'note').map((line) => line.text);
  const [before, after] = [useCodeLines(side('added'), language), useCodeLines(side('removed'), language)];
  const coloured = ({ kind, text: plain, old = 0, now = 0 }: NumberedLine): ReactNode => {
    if (kind === 'note') return text('runParts.fileChange.noNewline');
    return (
      (kind === 'removed' ? before[old - hunk.oldStart] : after[now - hunk.newStart]) ??
      visibleControls(plain)
    );
  };
  return lines.map((line, row) => (
    <p key={row} className={classNames('flex px-1 font-mono text-xs leading-5', grounds[line.kind])}>
      <LineNumber value={line.old} />
      <LineNumber value={line.now} />
      <span aria-hidden className="w-4 shrink-0 text-muted select-none">
        {signs[line.kind]}
      </span>
      <span className="sr-only">
        {line.kind === 'added' || line.kind === 'removed' ? text(`ui.diffLine.${line.kind}`) : ''}
      </span>
      <span className="readable min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere [tab-size:4]">
        {line.text === '' ? ' ' : coloured(line)}
      </span>
    </p>
  ));
}

type TextChange = Extract<FileChange, { kind: 'text' }>;

function Gap({ count }: { readonly count: number }) {
  if (count <= 0) return null;
  return (
    <p className="numbers border-y border-line bg-surface px-3 py-0.5 text-xs text-muted first:border-t-0">
      {text('runParts.fileChange.unchangedLines', { count })}
    </p>
  );
}

const linesOfOld = ({ lines }: TextHunk): number =>
  lines.filter(({ kind }) => kind === 'same' || kind === 'removed').length;

interface DiffProps extends Pick<TextChange, 'path' | 'hunks' | 'exists'> {
  /** What is left out, in words. */
  readonly rest?: string | undefined;
}

function TextDiff({ path, hunks, exists, rest }: DiffProps) {
  const language = extensionOf(path);
  const ends = hunks.map((hunk) => hunk.oldStart + linesOfOld(hunk));
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={text('runParts.fileChange.name', { path })}
      className="mt-1 max-h-96 overflow-auto rounded-md border border-line bg-code"
    >
      {hunks.map((hunk, at) => (
        <Fragment key={`${hunk.oldStart} ${hunk.newStart}`}>
          {exists && <Gap count={hunk.oldStart - (ends[at - 1] ?? 1)} />}
          <Hunk hunk={hunk} language={language} />
        </Fragment>
      ))}
      {rest !== undefined && (
        <p className="numbers border-t border-line px-3 py-1 text-xs text-muted">{rest}</p>
      )}
    </div>
  );
}

const sizeText = (path: string, bytes: number): string => {
  const type = extensionOf(path).toUpperCase();
  return [type, formatBytes(bytes)].filter(Boolean).join(', ');
};

const replacedText = (why: 'binary' | 'large', before: string): string =>
  why === 'binary'
    ? text('runParts.fileChange.binary', { before })
    : text('runParts.fileChange.large', { before });

function Replaced({ change }: { readonly change: Extract<FileChange, { kind: 'replaced' }> }) {
  const { path, bytes, newBytes, first, why } = change;
  return (
    <>
      <p className="mt-1 text-sm">
        {replacedText(why, sizeText(path, bytes))}
        {newBytes !== undefined && ` ${text('runParts.fileChange.newSize', { size: formatBytes(newBytes) })}`}
      </p>
      {first.length > 0 && (
        <pre
          tabIndex={0}
          aria-label={text('runParts.fileChange.firstLines')}
          className="readable mt-1 max-h-48 overflow-auto rounded-md border border-line bg-code px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
        >
          {visibleControls(first.join('\n'))}
        </pre>
      )}
    </>
  );
}

/** Said before the user approves a call that is going to fail. */
function NoFolder() {
  return <p className="mt-1 text-sm text-copper-text">{text('runParts.fileChange.noFolder')}</p>;
}

function TextChangeView({ change }: { readonly change: TextChange }) {
  const { path, exists, hunks, added, removed, omitted, lineEnds, noFolder } = change;
  const rest = omitted > 0 ? text('runParts.fileChange.omitted', { count: omitted }) : undefined;
  const isSame = exists && hunks.length === 0 && !lineEnds;
  return (
    <>
      <p className="numbers mt-1 text-sm">
        {isSame && text('runParts.fileChange.identical')}
        {!exists && text('runParts.fileChange.newFile', { count: added })}
        {exists && hunks.length > 0 && text('runParts.fileChange.counts', { added, removed })}
        {lineEnds &&
          ` ${text('runParts.fileChange.lineEnds', { before: lineEnds.before, after: lineEnds.after })}`}
      </p>
      {noFolder && <NoFolder />}
      {hunks.length > 0 && <TextDiff path={path} hunks={hunks} exists={exists} rest={rest} />}
    </>
  );
}

function Deleted({ change }: { readonly change: Extract<FileChange, { kind: 'deleted' }> }) {
  const { path, bytes, binary, hunks, more } = change;
  const size = sizeText(path, bytes);
  return (
    <>
      <p className="mt-1 text-sm">
        {text(binary ? 'runParts.fileChange.deletesBinary' : 'runParts.fileChange.deletes', { size })}
      </p>
      {hunks.length > 0 && (
        <TextDiff
          path={path}
          hunks={hunks}
          exists
          rest={more ? text('runParts.fileChange.moreLines') : undefined}
        />
      )}
    </>
  );
}

/** What a write changes in the project: old and new lines, or why they cannot be compared. */
export function FileChangeView({ change }: { readonly change: FileChange }) {
  switch (change.kind) {
    case 'text':
      return <TextChangeView change={change} />;
    case 'replaced':
      return <Replaced change={change} />;
    case 'moved': {
      const { path, to, taken, folder, noFolder } = change;
      return (
        <>
          <p className="readable mt-1 text-sm wrap-anywhere">
            {text(folder ? 'runParts.fileChange.moveFolder' : 'runParts.fileChange.move', {
              path: visibleControls(path),
              to: visibleControls(to),
            })}
            {taken && ` ${text('runParts.fileChange.taken')}`}
          </p>
          {noFolder && <NoFolder />}
        </>
      );
    }
    case 'deleted':
      return <Deleted change={change} />;
    case 'folder':
      return (
        <p className="mt-1 text-sm">
          {text(change.exists ? 'runParts.fileChange.folderExists' : 'runParts.fileChange.newFolder')}
        </p>
      );
    case 'unknown':
      return (
        <p className="readable mt-1 text-sm text-copper-text wrap-anywhere">
          {text('runParts.fileChange.unknown', { reason: visibleControls(change.reason) })}
        </p>
      );
  }
}
