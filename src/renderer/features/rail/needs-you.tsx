import { needsUser } from '#shared/attention';
import { CircleHelp } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { text } from '../../locales/text';
import { useCommands, useMirror } from '../../store/app-context';
import { menuItem, menuPanel } from '../../ui/menu-style';

/** Joins the waiting ids to one string, so that the other changes of the sessions do not render the rail. */
const separator = '\n';

/** The sessions that wait for the user, with their count; absent while none waits. */
export function NeedsYou() {
  const commands = useCommands();
  const summaries = useMirror((mirror) => mirror.summaries);
  const joined = useMirror(({ sessions }) =>
    Object.keys(sessions)
      .filter((id) => needsUser(sessions[id]))
      .join(separator),
  );
  const waiting = joined === '' ? [] : joined.split(separator);
  if (waiting.length === 0) return null;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm text-copper-text transition-colors hover:bg-hover data-[state=open]:bg-active">
        <CircleHelp aria-hidden size={16} strokeWidth={1.75} />
        <span className="flex-1 text-left">{text('rail.inbox.name')}</span>{' '}
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
