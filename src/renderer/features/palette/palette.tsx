import { Command } from 'cmdk';
import { MessageSquareText, Search, Settings2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { text } from '../../locales/text';
import { isAvailable, useActionRows, type ActionRow } from '../../actions/action-rows';
import { useNearActions } from '../../actions/near-actions';
import { settingPlaces, type SettingPlace } from '../../actions/setting-places';
import { useApp, useMirror, useView } from '../../store/app-context';
import { Keys } from '../../ui/keys';
import { menuItem } from '../../ui/menu-style';
import { Modal } from '../../ui/modal';
import { CommandItems, commandMatches, includesWords, namesCommand } from './command-items';

/** Maximum sessions listed below the actions; search finds the rest. */
const sessionsListed = 12;

/** Recent sessions listed above the actions while nothing is typed. */
const recentsListed = 5;

/** What can be done with the last turn of the open session, before the other actions of a session. */
const turnActions = [
  'copy-reply',
  'retry-reply',
  'retry-with-model',
  'edit-message',
  'fork-session',
  'export-markdown',
  'export-html',
  'export-json',
];
const ofTurn = ({ id }: ActionRow): boolean => turnActions.includes(id);
const byTurnOrder = (a: ActionRow, b: ActionRow): number =>
  turnActions.indexOf(a.id) - turnActions.indexOf(b.id);

const groups = ['Session', 'Mode', 'View', 'App', 'Help'] as const;
export const commandList =
  'max-h-[min(26rem,60vh)] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted';

function ActionItem({ row, onRun }: { readonly row: ActionRow; readonly onRun: (row: ActionRow) => void }) {
  return (
    <Command.Item value={row.id} onSelect={() => onRun(row)} className={menuItem}>
      <span className="flex-1">{row.label}</span>
      {row.slash && <span className="font-mono text-xs text-muted">/{row.slash}</span>}
      {row.keys && <Keys keys={row.keys} />}
    </Command.Item>
  );
}

interface ActionItemsProps {
  readonly heading: string;
  readonly rows: readonly ActionRow[];
  readonly onRun: (row: ActionRow) => void;
}

function ActionItems({ heading, rows, onRun }: ActionItemsProps) {
  if (rows.length === 0) return null;
  return (
    <Command.Group heading={heading}>
      {rows.map((row) => (
        <ActionItem key={row.id} row={row} onRun={onRun} />
      ))}
    </Command.Group>
  );
}

interface NearActionsProps extends Pick<ActionItemsProps, 'onRun'> {
  readonly search: string;
  /** No action and no session has the words. */
  readonly nothingFound: boolean;
}

/** The actions nearest in meaning, where no command and no list has the words either. */
function NearActions({ search, nothingFound, onRun }: NearActionsProps) {
  const plane = useMirror((mirror) => mirror.controlPlane);
  const { commands, catalogs } = commandMatches(plane, search);
  const near = useNearActions(nothingFound && commands.length + catalogs.length === 0 ? search : null);
  return (
    <ActionItems
      heading={text('palette.didYouMean')}
      rows={(near === 'unavailable' ? [] : (near ?? [])).filter(({ listed }) => listed)}
      onRun={onRun}
    />
  );
}

/** Fewer letters find no row that lists leave out. */
const minLetters = 3;

/** Whether a label begins with a text, or a word of the name before its colon does. */
const beginsName = (label: string, text: string): boolean => {
  const query = text.trim().toLowerCase();
  const [name = ''] = label.toLowerCase().split(':');
  const starts = [label.toLowerCase(), ...name.split(/[^\p{L}\p{N}]+/u)];
  return query.length >= minLetters && starts.some((start) => start.startsWith(query));
};

function useMatches(text: string) {
  const app = useApp();
  const all = useActionRows();
  const summaries = useMirror((mirror) => mirror.summaries);
  return useMemo(() => {
    const rows = all.filter(
      (row) =>
        // CommandItems lists the commands.
        row.group !== 'Commands' &&
        row.id !== 'palette' &&
        (row.listed || beginsName(row.label, text)) &&
        includesWords(row.slash ? `${row.label} /${row.slash}` : row.label, text) &&
        isAvailable(row, app),
    );
    const sessions = Object.values(summaries)
      .filter(({ archived, title }) => !archived && includesWords(title, text))
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, sessionsListed);
    const query = text.trim().toLowerCase();
    const starts = ({ label }: ActionRow) => query !== '' && label.toLowerCase().startsWith(query);
    const settings = query === '' ? [] : settingPlaces().filter(({ words }) => includesWords(words, text));
    const nothingFound = rows.length + sessions.length + settings.length === 0;
    const others = rows.filter((row) => !starts(row));
    return {
      best: rows.filter(starts),
      turn: others.filter(ofTurn).sort(byTurnOrder),
      rows: others.filter((row) => !ofTurn(row)),
      sessions,
      settings,
      nothingFound,
    };
  }, [app, all, summaries, text]);
}

/**
 * Finds every action, session, setting and command by a few letters. Recent sessions come first while nothing is
 * typed, then what can be done with the last turn; actions whose name starts with the typed text come first
 * afterwards.
 */
export function Palette() {
  const app = useApp();
  const [search, setSearch] = useState('');
  const { best, turn, rows, sessions, settings, nothingFound } = useMatches(search);
  const searching = search.trim() !== '';
  const current = useView((view) => view.sessionId);
  const listed = searching ? sessions : sessions.filter(({ id }) => id !== current).slice(0, recentsListed);
  const plane = useMirror((mirror) => mirror.controlPlane);
  // What a command or an action is called comes before a session that only mentions the words.
  const found = best.length + turn.length + rows.length + settings.length > 0;
  const named = searching && (found || namesCommand(plane, search));
  const close = () => app.view.set({ dialog: null });
  /** Closes the palette first: an action may open the next dialog or take the focus. */
  const after = (run: () => void) => {
    close();
    run();
  };
  const runAfter = (row: ActionRow) => after(() => row.run(app));
  const sessionItems = listed.length > 0 && (
    <SessionItems
      heading={text(searching ? 'palette.sessions' : 'palette.recent')}
      sessions={listed}
      onOpen={(id) => after(() => void app.commands.openSession(id))}
    />
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
          <ActionItems heading={text('palette.best')} rows={best} onRun={runAfter} />
          {!named && sessionItems}
          {searching && <CommandItems search={search} onClosed={after} />}
          <ActionItems heading={text('palette.thisTurn')} rows={turn} onRun={runAfter} />
          {groups.map((group) => (
            <ActionItems
              key={group}
              heading={text(`shared.groups.${group}`)}
              rows={rows.filter((row) => row.group === group)}
              onRun={runAfter}
            />
          ))}
          <SettingItems
            places={settings}
            onOpen={(place) => app.view.set({ dialog: { kind: 'settings', ...place } })}
          />
          {!searching && <CommandItems search={search} onClosed={after} />}
          {named && sessionItems}
          <NearActions search={search} nothingFound={nothingFound} onRun={runAfter} />
          {searching && (
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

interface SettingItemsProps {
  readonly places: readonly SettingPlace[];
  readonly onOpen: (place: Pick<SettingPlace, 'section' | 'setting'>) => void;
}

function SettingItems({ places, onOpen }: SettingItemsProps) {
  if (places.length === 0) return null;
  return (
    <Command.Group heading={text('settings.title')}>
      {places.map(({ section, setting, label }) => (
        <Command.Item
          key={`${section} ${setting ?? ''}`}
          value={`setting ${section} ${setting ?? ''}`}
          onSelect={() => onOpen({ section, ...(setting && { setting }) })}
          className={menuItem}
        >
          <Settings2 aria-hidden size={14} className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1 truncate">{label}</span>
          {setting && <span className="text-xs text-muted">{text(`settings.sections.${section}`)}</span>}
        </Command.Item>
      ))}
    </Command.Group>
  );
}

interface SessionItemsProps {
  readonly heading: string;
  readonly sessions: readonly { readonly id: string; readonly title: string }[];
  readonly onOpen: (id: string) => void;
}

function SessionItems({ heading, sessions, onOpen }: SessionItemsProps) {
  return (
    <Command.Group heading={heading}>
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
