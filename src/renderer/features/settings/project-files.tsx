import { problemLine } from '#shared/app-error';
import type { InstructionFile, InstructionFilesView } from '#shared/instruction-files';
import type { Result } from '#shared/result';
import { FileText } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useProject } from '../../store/app-context';
import { Button } from '../../ui/button';
import { ErrorCard } from '../../ui/error-card';
import { FileDifference } from '../../ui/file-difference';
import { folderName } from '../../ui/folder-name';
import { initiallyOpen } from '../../ui/lazy-details';

type Answer = Result<InstructionFilesView | null>;

/** The instructions of the project as main last read them; a failed change leaves them on the screen. */
function useProjectFiles() {
  const { commands } = useApp();
  const project = useProject();
  const [view, setView] = useState<InstructionFilesView | null>(null);
  const [failed, setFailed] = useState<Answer | null>(null);
  const take = useCallback((answer: Answer): void => {
    setFailed(answer.ok ? null : answer);
    if (answer.ok) setView(answer.value);
  }, []);
  useEffect(() => {
    let wanted = true;
    void commands.instructionFiles().then((answer) => {
      if (wanted) take(answer);
    });
    return () => {
      wanted = false;
    };
  }, [commands, project, take]);
  return {
    view: view?.project === project ? view : null,
    error: failed?.ok === false ? failed.error : null,
    adopt: (found: string) => void commands.adoptInstructionFiles(found).then(take),
    drop: () => void commands.dropInstructionFiles().then(take),
  };
}

function FileRow({ file }: { readonly file: InstructionFile }) {
  const isOpen = file.status !== 'adopted';
  return (
    <li className="flex items-baseline gap-2 px-3 py-1.5 text-sm">
      <FileText aria-hidden size={13} className="shrink-0 self-center text-muted" />
      <span className="readable min-w-0 flex-1 font-mono text-xs wrap-anywhere">{file.path}</span>
      <span className="numbers shrink-0 text-xs text-muted">
        {text('composer.aboutTokens', { tokens: file.tokens })}
      </span>
      <span className={isOpen ? 'shrink-0 text-xs text-copper-text' : 'shrink-0 text-xs text-muted'}>
        {text(`settings.instructions.files.status.${file.status}`)}
      </span>
    </li>
  );
}

function Problems({ problems }: Pick<InstructionFilesView, 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <ul aria-label={text('settings.instructions.files.problems')} className="space-y-0.5 text-xs text-muted">
      {problems.map((found) => (
        <li key={`${found.file} ${found.rule}`} className="readable wrap-anywhere">
          {problemLine(found)}
        </li>
      ))}
    </ul>
  );
}

/** What models read now, in one sentence. */
function stateOf({ adopted, dropped, changes }: InstructionFilesView): string {
  if (adopted !== null)
    return text(`settings.instructions.files.state.${changes.length > 0 ? 'changed' : 'adopted'}`);
  return text(`settings.instructions.files.state.${dropped ? 'dropped' : 'new'}`);
}

interface ActionsProps extends Pick<ReturnType<typeof useProjectFiles>, 'adopt' | 'drop'> {
  readonly view: InstructionFilesView;
}

function Actions({ view, adopt, drop }: ActionsProps) {
  const { found, adopted, dropped, files, changes } = view;
  return (
    <div className="flex flex-wrap gap-2">
      {found !== null && changes.length > 0 && (
        <Button onClick={() => adopt(found)}>
          {text(`settings.instructions.files.act.${adopted === null ? 'adopt' : 'adoptChanges'}`)}
        </Button>
      )}
      {!dropped && files.length > 0 && (
        <Button tone="quiet" onClick={drop}>
          {text(`settings.instructions.files.act.${adopted === null ? 'refuse' : 'drop'}`)}
        </Button>
      )}
    </div>
  );
}

/** The instructions that the project brings along: what they say, and whether models read them. */
export function ProjectFiles() {
  const { view, error, adopt, drop } = useProjectFiles();
  if (!view || (view.files.length === 0 && view.problems.length === 0))
    return error && <ErrorCard error={error} />;
  const { project, files, problems, changes } = view;
  const opened = initiallyOpen(changes);
  const title = text('settings.instructions.files.title', { folder: folderName(project) });
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">{title}</h3>
      {files.length > 0 && (
        <>
          <p role="status" className="text-xs text-muted">
            {stateOf(view)}
          </p>
          <ul
            aria-label={text('settings.instructions.files.list')}
            className="divide-y divide-line rounded-lg border border-line"
          >
            {files.map((file) => (
              <FileRow key={file.path} file={file} />
            ))}
          </ul>
        </>
      )}
      <Problems problems={problems} />
      {changes.map((file, at) => (
        <FileDifference key={file.path} file={file} open={at < opened} />
      ))}
      {error && <ErrorCard error={error} />}
      <Actions view={view} adopt={adopt} drop={drop} />
    </section>
  );
}
