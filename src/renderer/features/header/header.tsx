import { ArchiveRestore, FolderOpen, PanelLeft, PanelRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { text } from '../../locales/text';
import { useKeysOf } from '../../actions/action-rows';
import { useApp, useCommands, useMirror, useProject, useView } from '../../store/app-context';
import { Button } from '../../ui/button';
import { folderName } from '../../ui/folder-name';
import { IconButton } from '../../ui/icon-button';
import { RenameField } from '../../ui/rename-field';
import { Tooltip } from '../../ui/tooltip';

function Title() {
  const { commands } = useApp();
  const sessionId = useView((state) => state.sessionId);
  const renaming = useView((state) => state.renaming !== null && state.renaming === state.sessionId);
  const railOpen = useView((state) => state.railOpen);
  const title = useMirror(({ summaries, sessions }) =>
    sessionId === null ? '' : (summaries[sessionId]?.title ?? sessions[sessionId]?.title ?? ''),
  );
  const [clicked, setClicked] = useState<string | null>(null);
  // Rename in the list's menu renames there; the header does it after a click, or while the rail is hidden.
  const railless = useView((state) => state.ownSession !== null);
  const railHidden = railless || (window.matchMedia('(max-width: 639px)').matches && !railOpen);
  if (sessionId === null)
    return <h1 className="truncate text-sm font-medium">{text('shared.newSession')}</h1>;
  if (clicked === sessionId || (renaming && railHidden)) {
    return (
      <RenameField
        title={title}
        label={text('shared.sessionName')}
        onRename={(name) => {
          setClicked(null);
          void commands.renameSession(sessionId, name);
        }}
      />
    );
  }
  const name = title || text('shared.newSession');
  return (
    <h1 dir="auto" className="min-w-0 text-sm font-medium">
      <button
        type="button"
        title={text('header.rename', { title: name })}
        onClick={() => setClicked(sessionId)}
        className="max-w-full cursor-text truncate rounded-sm text-start hover:bg-hover"
      >
        {name}
      </button>
    </h1>
  );
}

/** Marks an archived session, with a button that restores it to the list. */
function ArchivedChip() {
  const commands = useCommands();
  const sessionId = useView((state) => state.sessionId);
  const archived = useMirror(
    ({ summaries }) => sessionId !== null && summaries[sessionId]?.archived === true,
  );
  if (sessionId === null || !archived) return null;
  return (
    <Button className="h-7 px-2" onClick={() => void commands.restoreSession(sessionId)}>
      <ArchiveRestore aria-hidden size={13} className="text-muted" />
      {text('header.restore')}
    </Button>
  );
}

function ProjectChip() {
  const commands = useCommands();
  const project = useProject();
  return (
    <Tooltip text={project ?? text('header.folder.about')} keys={useKeysOf('choose-folder')}>
      <button
        type="button"
        aria-label={project === null ? undefined : text('header.folder.name', { folder: project })}
        onClick={() => void commands.chooseProject()}
        className="flex h-7 max-w-56 min-w-0 shrink-0 items-center gap-1.5 rounded-md border border-line px-2 text-xs text-muted transition-colors hover:bg-hover hover:text-text max-narrow:max-w-32"
      >
        <FolderOpen aria-hidden size={13} className="shrink-0" />
        <span className="truncate">
          {project === null ? text('header.folder.choose') : folderName(project)}
        </span>
      </button>
    </Tooltip>
  );
}

export interface HeaderProps {
  readonly railHidden: boolean;
  /** The sessions that wait for the user; shown while the rail, which lists them, is hidden. */
  readonly inbox: ReactNode;
}

/** The session's name and folder, with the buttons for the panels at both sides. */
export function Header({ railHidden, inbox }: HeaderProps) {
  const { view, commands } = useApp();
  const inspectorOpen = useMirror((mirror) => mirror.settings.inspectorOpen);
  return (
    <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line px-3">
      {railHidden && (
        <>
          <IconButton
            icon={PanelLeft}
            label={text('header.showSessions')}
            onClick={() => view.set({ railOpen: true })}
          />
          {inbox}
        </>
      )}
      <div className="min-w-0 flex-1 ps-1">
        <Title />
      </div>
      <ArchivedChip />
      <ProjectChip />
      <IconButton
        icon={PanelRight}
        label={text('header.inspector')}
        keys={useKeysOf('toggle-inspector')}
        aria-pressed={inspectorOpen}
        onClick={() => void commands.toggleInspector()}
      />
    </header>
  );
}
