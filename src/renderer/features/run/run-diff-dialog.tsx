import { ChevronDown, ChevronRight, Copy, X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import type { ChangedFile, RunDiff } from '#shared/undo';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { DiffHunks } from '../../ui/diff-hunks';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { patchHunks } from '../../ui/patch-hunks';

const words: Readonly<Record<ChangedFile['change'], string>> = {
  created: text('run.diff.created'),
  changed: text('run.diff.changed'),
  moved: text('run.diff.moved'),
  deleted: text('run.diff.deleted'),
  folder: text('run.diff.folder'),
};
const withoutLines = {
  binary: text('run.diff.binary'),
  'too-long': text('run.diff.tooLong'),
  'not-kept': text('run.diff.notKept'),
};

function Counts({ file }: { readonly file: ChangedFile }) {
  if (file.withoutLines) return <span className="text-xs text-muted">{withoutLines[file.withoutLines]}</span>;
  if (file.added + file.removed === 0) return null;
  return (
    <span
      className="numbers shrink-0 text-xs"
      aria-label={text('run.diff.counts', { added: file.added, removed: file.removed })}
    >
      <span className="text-accent-text">+{file.added}</span>{' '}
      <span className="text-danger-text">−{file.removed}</span>
    </span>
  );
}

function FileRow({ file, open }: { readonly file: ChangedFile; readonly open: boolean }) {
  const id = useId();
  const [shown, setShown] = useState(open);
  const hasLines = file.added + file.removed > 0;
  const Icon = shown ? ChevronDown : ChevronRight;
  const name = file.movedFrom === undefined ? file.path : `${file.movedFrom} → ${file.path}`;
  const head = (
    <>
      <span className="w-17 shrink-0 text-xs text-muted">{words[file.change]}</span>
      <bdi className="min-w-0 grow text-sm wrap-anywhere">{name}</bdi>
      <Counts file={file} />
    </>
  );
  if (!hasLines) return <li className="flex min-h-9 items-center gap-2 px-5 ps-10">{head}</li>;
  return (
    <li>
      <button
        type="button"
        aria-expanded={shown}
        aria-controls={id}
        className="flex min-h-9 w-full items-center gap-2 px-5 py-1 text-start hover:bg-hover focus-visible:-outline-offset-2"
        onClick={() => setShown(!shown)}
      >
        <Icon aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
        {head}
      </button>
      <div id={id} className="border-y border-line empty:hidden">
        {shown && <DiffHunks hunks={patchHunks(file.patch)} />}
      </div>
    </li>
  );
}

/** With more files than this, their lines are shown on request only. */
const maxOpen = 3;

function Files({ diff }: { readonly diff: RunDiff }) {
  if (diff.files.length === 0) return <p className="p-5 text-sm text-muted">{text('run.diff.none')}</p>;
  return (
    <ul className="divide-y divide-line">
      {diff.files.map((file) => (
        <FileRow key={file.path} file={file} open={diff.files.length <= maxOpen} />
      ))}
    </ul>
  );
}

function useRunDiff(runId: string) {
  const { commands } = useApp();
  const [diff, setDiff] = useState<RunDiff | null>(null);
  useEffect(() => {
    let left = false;
    void commands.readRunDiff(runId).then((read) => {
      if (!left) setDiff(read);
    });
    return () => {
      left = true;
    };
  }, [commands, runId]);
  return diff;
}

/** Everything that a run wrote to project files, in one view. */
export function RunDiffDialog({ runId }: { readonly runId: string }) {
  const { commands, view } = useApp();
  const onClose = () => view.set({ dialog: null });
  const diff = useRunDiff(runId);
  const files = diff?.files ?? [];
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const patch = files.map((file) => file.patch).join('');
  return (
    <Modal
      label={text('run.diff.name')}
      onClose={onClose}
      className="mt-[6vh] flex max-h-[88vh] w-[56rem] max-w-[calc(100vw-2rem)] flex-col"
    >
      <header className="flex items-start gap-3 border-b border-line py-3 ps-5 pe-3">
        <div className="min-w-0 grow">
          <h2 className="text-lg font-semibold">{text('run.diff.name')}</h2>
          <p className="numbers mt-0.5 text-sm text-muted">
            {text('run.diff.summary', { count: files.length, added, removed })}
            {diff !== null && diff.others > 0 && ` · ${text('run.diff.others', { count: diff.others })}`}
          </p>
        </div>
        <IconButton icon={X} label={text('run.diff.close')} onClick={onClose} data-autofocus />
      </header>
      {/* Scrollable, so it must be focusable by keyboard. */}
      <div
        role="group"
        aria-label={text('run.diff.files')}
        tabIndex={0}
        className="min-h-0 grow overflow-y-auto focus-visible:-outline-offset-2"
      >
        {diff && <Files diff={diff} />}
      </div>
      {patch !== '' && (
        <footer className="flex justify-end border-t border-line px-5 py-3">
          <Button onClick={() => commands.copy(patch)}>
            <Copy aria-hidden="true" className="size-3.5" />
            {text('run.diff.copy')}
          </Button>
        </footer>
      )}
    </Modal>
  );
}
