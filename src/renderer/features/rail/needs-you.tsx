import { CircleHelp } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { text } from '../../locales/text';
import { useCommands, useMirror } from '../../store/app-context';
import { classNames } from '../../ui/class-names';
import { menuItem, menuPanel } from '../../ui/menu-style';

/** Joins the waiting ids to one string, so that the other changes of the sessions render nothing here. */
const separator = '\n';

export interface NeedsYouProps {
  /** Whether only the icon and the count are shown, beside other buttons; the name is still read aloud. */
  readonly compact?: boolean;
}

/** The sessions that wait for the user, with their count; absent while none waits. */
export function NeedsYou({ compact = false }: NeedsYouProps) {
  const commands = useCommands();
  const summaries = useMirror((mirror) => mirror.summaries);
  const joined = useMirror((mirror) =>
    Object.values(mirror.summaries)
      .filter(({ activity, archived }) => activity === 'needs-user' && !archived)
      .map(({ id }) => id)
      .join(separator),
  );
  const waiting = joined === '' ? [] : joined.split(separator);
  if (waiting.length === 0) return null;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        title={compact ? text('rail.inbox.name') : undefined}
        className={classNames(
          'flex items-center rounded-md text-sm text-copper-text transition-colors hover:bg-hover data-[state=open]:bg-active',
          compact ? 'h-7 shrink-0 gap-1 px-1.5' : 'h-8 w-full gap-2.5 px-2',
        )}
      >
        <CircleHelp aria-hidden size={16} strokeWidth={1.75} />
        <span className={compact ? 'sr-only' : 'flex-1 text-start'}>{text('rail.inbox.name')}</span>{' '}
        <span className="numbers text-xs">{waiting.length}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} className={`${menuPanel} max-w-80`}>
          {waiting.map((id) => (
            <DropdownMenu.Item key={id} className={menuItem} onSelect={() => void commands.openSession(id)}>
              <span dir="auto" className="truncate">
                {summaries[id]?.title || text('shared.newSession')}
              </span>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
