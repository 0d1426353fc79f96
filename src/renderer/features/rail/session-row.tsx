import type { SessionSummary } from '#shared/session-state';
import {
  AppWindow,
  Archive,
  ArchiveRestore,
  CircleAlert,
  CircleHelp,
  ListChecks,
  LoaderCircle,
  Mail,
  MailOpen,
  MoreHorizontal,
  Pencil,
  Pin,
  PinOff,
  Square,
  SquareCheck,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { memo, useRef, useState, type MouseEvent } from 'react';
import { text } from '../../locales/text';
import { useApp, useCommands, useMirror, useView } from '../../store/app-context';
import { classNames } from '../../ui/class-names';
import { RenameField } from '../../ui/rename-field';
import { menuItem, menuPanel } from '../../ui/menu-style';

interface RowMenuProps {
  readonly summary: SessionSummary;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onSelect: () => void;
  /** Moves the focus to the row of the menu. */
  readonly focusRow: () => void;
}

interface RowActionProps {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly onSelect: () => void;
  readonly className?: string;
}

const RowAction = ({ icon: Icon, label, onSelect, className }: RowActionProps) => (
  <DropdownMenu.Item className={classNames(menuItem, className)} onSelect={onSelect}>
    <Icon aria-hidden size={14} /> {label}
  </DropdownMenu.Item>
);

function ArchivedActions({ id }: SessionSummary) {
  const commands = useCommands();
  return (
    <>
      <RowAction
        icon={ArchiveRestore}
        label={text('rail.restore')}
        onSelect={() => void commands.restoreSession(id)}
      />
      <DeleteAction id={id} />
    </>
  );
}

/** Main asks before anything is deleted, in a dialog that no page can answer. */
function DeleteAction({ id }: { readonly id: string }) {
  const commands = useCommands();
  return (
    <RowAction
      icon={Trash2}
      label={text('rail.delete')}
      className="text-danger-text"
      onSelect={() => void commands.deleteSession(id)}
    />
  );
}

function ListedActions({ summary, onSelect }: Pick<RowMenuProps, 'summary' | 'onSelect'>) {
  const { view, commands } = useApp();
  const { id, marks } = summary;
  return (
    <>
      <RowAction
        icon={marks.pinned ? PinOff : Pin}
        label={text(marks.pinned ? 'rail.unpin' : 'rail.pin')}
        onSelect={() => void commands.markSessions([id], { pinned: !marks.pinned })}
      />
      <RowAction
        icon={marks.unread ? MailOpen : Mail}
        label={text(marks.unread ? 'rail.markRead' : 'rail.markUnread')}
        onSelect={() => void commands.markSessions([id], { unread: !marks.unread })}
      />
      <RowAction icon={Pencil} label={text('rail.rename')} onSelect={() => view.set({ renaming: id })} />
      <RowAction
        icon={AppWindow}
        label={text('rail.ownWindow')}
        onSelect={() => void commands.openOwnWindow(id)}
      />
      <RowAction icon={ListChecks} label={text('rail.select')} onSelect={onSelect} />
      <RowAction
        icon={Archive}
        label={text('rail.archive')}
        onSelect={() => void commands.archiveSessions([id])}
      />
      <DeleteAction id={id} />
    </>
  );
}

function RowMenu({ summary, open, onOpenChange, onSelect, focusRow }: RowMenuProps) {
  return (
    <DropdownMenu.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger
        aria-label={text('rail.actions', { title: summary.title || text('rail.thisSession') })}
        className="absolute top-1 end-1 hidden size-6 items-center justify-center rounded-md text-muted group-focus-within:inline-flex group-hover:inline-flex hover:bg-active hover:text-text data-[state=open]:inline-flex data-[state=open]:bg-active"
      >
        <MoreHorizontal aria-hidden size={14} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          className={menuPanel}
          onCloseAutoFocus={(event) => {
            // The button that opened this menu is hidden again, or gone: it cannot have the focus.
            event.preventDefault();
            focusRow();
          }}
        >
          {summary.archived ? (
            <ArchivedActions {...summary} />
          ) : (
            <ListedActions summary={summary} onSelect={onSelect} />
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** What the user should know of a session: it works, waits for them, failed, or has news. */
function StateMark({ summary: { activity, marks } }: { readonly summary: SessionSummary }) {
  if (activity !== undefined) {
    const waits = activity === 'needs-user';
    const word = text(waits ? 'rail.needsYou' : 'rail.working');
    const Icon = waits ? CircleHelp : LoaderCircle;
    const look = waits ? 'text-copper-text' : 'text-accent-text motion-safe:animate-spin';
    return (
      <span title={word} className="shrink-0 group-hover:invisible">
        <Icon aria-hidden size={13} className={look} />
        <span className="sr-only">{word}</span>
      </span>
    );
  }
  return (
    <>
      {marks.failed && (
        <span className="shrink-0 text-2xs text-danger-text group-hover:invisible">
          {text('rail.failed')}
        </span>
      )}
      {marks.unread && <span className="sr-only">{text('rail.unread')}</span>}
    </>
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

/** Marks a session that has a window of its own. */
function OwnWindowMark({ id }: { readonly id: string }) {
  const own = useMirror(({ ownWindows }) => ownWindows.includes(id));
  if (!own) return null;
  return (
    <span title={text('rail.inOwnWindow')} className="shrink-0 text-faint group-hover:invisible">
      <AppWindow aria-hidden size={12} />
      <span className="sr-only">{text('rail.inOwnWindow')}</span>
    </span>
  );
}

export interface SessionRowProps {
  readonly summary: SessionSummary;
  /** Whether Tab reaches this row; the arrow keys reach the others. */
  readonly tabStop: boolean;
  /** Whether the row is among the selected ones; undefined while nothing is being selected. */
  readonly chosen: boolean | undefined;
  /** Adds the row to the selection or takes it out; `range`: with every row since the last one. */
  readonly onChoose: (id: string, range: boolean) => void;
}

const rowStyle =
  'flex h-8 w-full items-center gap-2 rounded-md px-2 text-start text-sm transition-colors group-focus-within:pe-8 group-hover:pe-8';

function rowTone(lit: boolean, unread: boolean): string {
  if (lit) return classNames('bg-active text-text', unread && 'font-semibold');
  return unread ? 'font-semibold text-text hover:bg-hover' : 'text-muted hover:bg-hover hover:text-text';
}

function ChoiceBox({ chosen }: { readonly chosen: boolean }) {
  const Icon = chosen ? SquareCheck : Square;
  return <Icon aria-hidden size={14} className={classNames('shrink-0', chosen && 'text-accent-text')} />;
}

/**
 * One session of the rail; a right click or the menu key opens its actions. With Ctrl, Cmd or Shift, or while
 * sessions are being selected, a click selects it instead of opening it.
 */
export const SessionRow = memo(function SessionRow({ summary, tabStop, chosen, onChoose }: SessionRowProps) {
  const commands = useCommands();
  const [menuOpen, setMenuOpen] = useState(false);
  const row = useRef<HTMLButtonElement>(null);
  const { id, marks } = summary;
  const open = useView((view) => view.sessionId === id);
  const renaming = useView((view) => view.renaming === id);
  const title = summary.title || text('shared.newSession');
  if (renaming) {
    return (
      <li className="px-2">
        <RenameField
          title={title}
          label={text('shared.sessionName')}
          onRename={(name) => void commands.renameSession(id, name)}
        />
      </li>
    );
  }
  const selects = ({ shiftKey, ctrlKey, metaKey }: MouseEvent) =>
    chosen !== undefined || shiftKey || ctrlKey || metaKey;
  const click = (event: MouseEvent) => {
    if (selects(event)) onChoose(id, event.shiftKey);
    else void commands.openSession(id);
  };
  return (
    <li
      className="group relative mx-2"
      onContextMenu={(event) => {
        event.preventDefault();
        setMenuOpen(true);
      }}
    >
      <button
        ref={row}
        type="button"
        data-session={id}
        tabIndex={tabStop ? 0 : -1}
        aria-current={open ? 'page' : undefined}
        aria-pressed={chosen}
        // The text box has the focus once the session is open; moving it here and back renders the list twice.
        onMouseDown={(event) => event.button === 0 && !selects(event) && event.preventDefault()}
        onClick={click}
        className={classNames(rowStyle, rowTone(chosen ?? open, marks.unread))}
      >
        {chosen !== undefined && <ChoiceBox chosen={chosen} />}
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {title}
        </span>
        <OwnWindowMark id={id} />
        <DamageMark summary={summary} />
        <StateMark summary={summary} />
      </button>
      {chosen === undefined && (
        <RowMenu
          summary={summary}
          open={menuOpen}
          onOpenChange={setMenuOpen}
          onSelect={() => onChoose(id, false)}
          focusRow={() => row.current?.focus()}
        />
      )}
    </li>
  );
});
