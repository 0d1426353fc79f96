import { Command } from 'cmdk';
import { MessageSquareText, Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { text } from '../../locales/text';
import { isAvailable, useActionRows, type ActionRow } from '../../actions/action-rows';
import { useApp, useMirror } from '../../store/app-context';
import { Keys } from '../../ui/keys';
import { menuItem } from '../../ui/menu-style';
import { Modal } from '../../ui/modal';
import { CommandItems, includesWords, namesCommand } from './command-items';

/** Maximum sessions listed below the actions; search finds the rest. */
const sessionsListed = 12;

const groups = ['Session', 'Mode', 'View', 'App', 'Help'] as const;
export const commandList =
  'max-h-[min(26rem,60vh)] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted';

function ActionItem({ row, onRun }: { readonly row: ActionRow; readonly onRun: (row: ActionRow) => void }) {
  return (
    <Command.Item value={row.id} onSelect={() => onRun(row)} className={menuItem}>
      <span className="flex-1">{row.label}</span>
      {row.keys && <Keys keys={row.keys} />}
    </Command.Item>
  );
}

function useMatches(text: string) {
  const app = useApp();
  const all = useActionRows();
  const summaries = useMirror((mirror) => mirror.summaries);
  return useMemo(() => {
    const rows = all.filter(
      (row) => row.id !== 'palette' && includesWords(row.label, text) && isAvailable(row, app),
    );
    const sessions = Object.values(summaries)
      .filter(({ archived, title }) => !archived && includesWords(title, text))
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, sessionsListed);
    return { rows, sessions };
  }, [app, all, summaries, text]);
}

/** Finds every action and every session by a few letters. */
export function Palette() {
  const app = useApp();
  const [search, setSearch] = useState('');
  const { rows, sessions } = useMatches(search);
  const plane = useMirror((mirror) => mirror.controlPlane);
  // What a command or an action is called comes before a session that only mentions the words.
  const named = rows.length > 0 || namesCommand(plane, search);
  const close = () => app.view.set({ dialog: null });
  /** Closes the palette first: an action may open the next dialog or take the focus. */
  const after = (run: () => void) => {
    close();
    run();
  };
  const sessionItems = sessions.length > 0 && (
    <SessionItems sessions={sessions} onOpen={(id) => after(() => void app.commands.openSession(id))} />
  );
  return (
    <Modal
      label={text('palette.name')}
      onClose={close}
      className="mt-[12vh] w-[36rem] max-w-[calc(100vw-2rem)]"
    >
      <Command shouldFilter={false} label={text('palette.name')} loop>
        <Command.Input
          data-autofocus
          value={search}
          onValueChange={setSearch}
          placeholder={text('palette.placeholder')}
          className="h-12 w-full border-b border-line bg-transparent px-4 text-message outline-none"
        />
        <Command.List className={commandList}>
          {!named && sessionItems}
          <CommandItems search={search} onClosed={after} />
          {groups.map((group) => {
            const inGroup = rows.filter((row) => row.group === group);
            return inGroup.length === 0 ? null : (
              <Command.Group key={group} heading={text(`shared.groups.${group}`)}>
                {inGroup.map((row) => (
                  <ActionItem key={row.id} row={row} onRun={() => after(() => row.run(app))} />
                ))}
              </Command.Group>
            );
          })}
          {named && sessionItems}
          {search.trim() !== '' && (
            <Command.Item
              value="search-messages"
              onSelect={() => app.view.set({ dialog: { kind: 'search', text: search } })}
              className={menuItem}
            >
              <Search aria-hidden size={14} className="text-muted" />
              <span className="min-w-0 flex-1 truncate">
                {text('palette.searchMessages', { search: search.trim() })}
              </span>
            </Command.Item>
          )}
        </Command.List>
      </Command>
    </Modal>
  );
}

interface SessionItemsProps {
  readonly sessions: readonly { readonly id: string; readonly title: string }[];
  readonly onOpen: (id: string) => void;
}

function SessionItems({ sessions, onOpen }: SessionItemsProps) {
  return (
    <Command.Group heading={text('palette.sessions')}>
      {sessions.map(({ id, title }) => (
        <Command.Item key={id} value={`session ${id}`} onSelect={() => onOpen(id)} className={menuItem}>
          <MessageSquareText aria-hidden size={14} className="shrink-0 text-muted" />
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {title || text('shared.newSession')}
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}
