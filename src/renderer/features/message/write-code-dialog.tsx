import type { AppError } from '#shared/app-error';
import { File, X } from 'lucide-react';
import { useCallback, useMemo, useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { TextField } from '../../ui/text-field';
import { useLatest } from '../../ui/use-latest';
import { pathOfCode } from './code-path';

const maxFiles = 6;
const none: readonly string[] = [];

/** Files of the project whose paths fit a query. */
function useFiles(query: string): readonly string[] {
  const { commands } = useApp();
  const request = useMemo(() => ({ query }), [query]);
  const ask = useCallback(({ query: path }: { query: string }) => commands.attachOptions(path), [commands]);
  const latest = useLatest(request, ask);
  if (!latest?.output.ok) return none;
  const files = latest.output.value.filter(({ kind }) => kind === 'file').map(({ name }) => name);
  return files.filter((file) => file !== query).slice(0, maxFiles);
}

interface FilesProps {
  readonly files: readonly string[];
  readonly onChoose: (file: string) => void;
}

function Files({ files, onChoose }: FilesProps) {
  if (files.length === 0) return null;
  return (
    <ul aria-label={text('message.writeCode.files')} className="mt-1.5">
      {files.map((file) => (
        <li key={file}>
          <button
            type="button"
            onClick={() => onChoose(file)}
            className="flex h-7 w-full items-center gap-2 rounded-md px-2 text-start text-sm text-muted hover:bg-hover hover:text-text"
          >
            <File aria-hidden size={14} className="shrink-0" />
            <span className="truncate">{file}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface WriteCodeProps {
  readonly code: string;
  /** The info string of the code's fence. */
  readonly fence: string;
}

/** Asks for the file that the code of a reply is written to. The run that follows shows the difference and asks. */
export function WriteCodeDialog({ code, fence }: WriteCodeProps) {
  const { commands, view } = useApp();
  const [path, setPath] = useState(() => pathOfCode(code, fence));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<AppError | null>(null);
  const files = useFiles(path);
  const close = () => view.set({ dialog: null });
  const write = async () => {
    setBusy(true);
    const refused = await commands.writeFile(path.trim(), code.endsWith('\n') ? code : `${code}\n`);
    setBusy(false);
    setError(refused);
    if (!refused) view.finishDialog();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && path.trim() !== '') void write();
  };
  return (
    <Modal
      label={text('message.writeCode.name')}
      onClose={close}
      className="mt-[12vh] w-[34rem] max-w-[calc(100vw-2rem)]"
    >
      <form onSubmit={submit}>
        <header className="flex items-start gap-3 border-b border-line py-3 ps-5 pe-3">
          <div className="min-w-0 grow">
            <h2 className="text-lg font-semibold">{text('message.writeCode.name')}</h2>
            <p className="mt-0.5 text-sm text-muted">{text('message.writeCode.about')}</p>
          </div>
          <IconButton icon={X} label={text('message.writeCode.cancel')} onClick={close} />
        </header>
        <div className="max-h-[50vh] overflow-y-auto p-5">
          <TextField
            label={text('message.writeCode.path')}
            hint={text('message.writeCode.pathHint')}
            data-autofocus
            maxLength={1_000}
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <Files files={files} onChoose={setPath} />
          {error && <ErrorCard error={error} />}
        </div>
        <div className="flex items-center justify-end gap-2 border-t border-line px-5 py-3">
          <Button tone="quiet" onClick={() => view.finishDialog()}>
            {text('message.writeCode.cancel')}
          </Button>
          <Button tone="primary" type="submit" disabled={busy || path.trim() === ''}>
            {text('message.writeCode.show')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
