import { busyTurn, needsUser } from '#shared/attention';
import type { SessionSummary } from '#shared/session-state';
import { Archive, ArchiveRestore, CircleAlert, MoreHorizontal, Pencil, Trash2 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { memo, useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useCommands, useMirror, useView } from '../../store/app-context';
import { classNames } from '../../ui/class-names';
import { RenameField } from '../../ui/rename-field';
import { menuItem, menuPanel } from '../../ui/menu-style';

interface RowMenuProps {
  readonly summary: SessionSummary;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

function RowMenu({ summary, open, onOpenChange }: RowMenuProps) {
  const { view, commands } = useApp();
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger
        aria-label={text('rail.actions', { title: summary.title || text('rail.thisSession') })}
        className="absolute top-1 right-1 hidden size-6 items-center justify-center rounded-md text-muted group-focus-within:inline-flex group-hover:inline-flex hover:bg-active hover:text-text data-[state=open]:inline-flex data-[state=open]:bg-active"
      >
        <MoreHorizontal aria-hidden size={14} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} className={menuPanel}>
          {summary.archived ? (
            <>
              <DropdownMenu.Item
                className={menuItem}
                onSelect={() => void commands.restoreSession(summary.id)}
              >
                <ArchiveRestore aria-hidden size={14} /> {text('rail.restore')}
              </DropdownMenu.Item>
              <DropdownMenu.Item
                className={classNames(menuItem, 'text-danger-text')}
                onSelect={() => void commands.deleteSession(summary.id)}
              >
                <Trash2 aria-hidden size={14} /> {text('rail.delete')}
              </DropdownMenu.Item>
            </>
          ) : (
            <>
              <DropdownMenu.Item className={menuItem} onSelect={() => view.set({ renaming: summary.id })}>
                <Pencil aria-hidden size={14} /> {text('rail.rename')}
              </DropdownMenu.Item>
              <DropdownMenu.Item
                className={menuItem}
                onSelect={() => void commands.archiveSession(summary.id)}
              >
                <Archive aria-hidden size={14} /> {text('rail.archive')}
              </DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** Marks a session that works or waits for the user. */
function BusyMark({ sessionId }: { readonly sessionId: string }) {
  const waits = useMirror(({ sessions }) => needsUser(sessions[sessionId]));
  const busy = useMirror(({ sessions }) => busyTurn(sessions[sessionId]) !== undefined);
  if (!busy && !waits) return null;
  const word = text(waits ? 'rail.needsYou' : 'rail.working');
  const colour = waits ? 'bg-copper' : 'bg-accent';
  return (
    <span title={word} className={`size-1.5 shrink-0 rounded-full group-hover:invisible ${colour}`}>
      <span className="sr-only">{word}</span>
    </span>
  );
}

/** Marks a session with unreadable events; the conversation lists and repairs them. */
function DamageMark({ summary: { id, damaged } }: { readonly summary: SessionSummary }) {
  const open = useMirror(({ sessions }) =>
    (sessions[id]?.gaps ?? []).reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, 0),
  );
  const count = damaged ?? open;
  if (count === 0) return null;
  const problem = text('rail.damaged', { count });
  return (
    <span title={problem} className="shrink-0 text-copper-text group-hover:invisible">
      <CircleAlert aria-hidden size={12} />
      <span className="sr-only">{problem}</span>
    </span>
  );
}

export interface SessionRowProps {
  readonly summary: SessionSummary;
  /** Whether Tab reaches this row; the arrow keys reach the others. */
  readonly tabStop: boolean;
}

/** One session of the rail; a right click or the menu key opens its actions. */
export const SessionRow = memo(function SessionRow({ summary, tabStop }: SessionRowProps) {
  const commands = useCommands();
  const [menuOpen, setMenuOpen] = useState(false);
  const selected = useView((view) => view.sessionId === summary.id);
  const renaming = useView((view) => view.renaming === summary.id);
  const title = summary.title || text('shared.newSession');
  if (renaming) {
    return (
      <li className="px-2">
        <RenameField
          title={title}
          label={text('shared.sessionName')}
          onRename={(name) => void commands.renameSession(summary.id, name)}
        />
      </li>
    );
  }
  return (
    <li
      className="group relative mx-2"
      onContextMenu={(event) => {
        event.preventDefault();
        setMenuOpen(true);
      }}
    >
      <button
        type="button"
        data-session={summary.id}
        tabIndex={tabStop ? 0 : -1}
        aria-current={selected ? 'page' : undefined}
        onClick={() => void commands.openSession(summary.id)}
        className={classNames(
          'flex h-8 w-full items-center gap-2 rounded-md px-2 text-left text-sm transition-colors group-focus-within:pr-8 group-hover:pr-8',
          selected ? 'bg-active text-text' : 'text-muted hover:bg-hover hover:text-text',
        )}
      >
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {title}
        </span>
        <DamageMark summary={summary} />
        <BusyMark sessionId={summary.id} />
      </button>
      <RowMenu summary={summary} open={menuOpen} onOpenChange={setMenuOpen} />
    </li>
  );
});
