import { isListed, type ControlPlaneView, type SourceRow } from '#shared/control-plane';
import { Command } from 'cmdk';
import { List, SlashSquare } from 'lucide-react';
import { useMemo } from 'react';
import { text } from '../../locales/text';
import { useActionRows } from '../../actions/action-rows';
import { openCommand } from '../../actions/open-command';
import { useApp, useMirror } from '../../store/app-context';
import { commandForItem, commandRows, pickedSource, sourceOf, type SlashRow } from '../../store/slash-lines';
import { menuItem } from '../../ui/menu-style';
import { Keys } from '../../ui/keys';
import { EntityName } from '../../ui/entity-name';

/** Whether the text contains every typed word, in any case and order. */
export function includesWords(text: string, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const within = text.toLowerCase();
  return words.every((word) => within.includes(word));
}

interface CatalogRow {
  readonly source: SourceRow;
  /** The command that handles the choice. */
  readonly row: SlashRow;
}

/** Every catalog whose items the user can choose. */
function catalogsOf(view: ControlPlaneView | null): readonly CatalogRow[] {
  return (view?.sources ?? []).flatMap((source) => {
    const row = commandForItem(view, source);
    return row ? [{ source, row }] : [];
  });
}

/** Nobody reads more rows than this; typing finds the rest. */
const rowsListed = 100;

/** How well a name matches the typed text; less is better. A match only in the description ranks last. */
function rankOf({ displayName, slash }: SlashRow, text: string): number {
  const query = text.trim().toLowerCase();
  const name = displayName.toLowerCase();
  if (slash === query || `/${slash}` === query || name === query) return 0;
  if (name.startsWith(query)) return 1;
  return includesWords(name, text) ? 2 : 3;
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

const begins = (names: readonly string[], word: string): boolean =>
  names.some((name) => name.startsWith(word));

/** Fewer letters find no row that lists leave out. */
const minLetters = 3;

/**
 * Whether a text calls a row that lists leave out by what is its own, not only by words like "work on" or "choose",
 * which many commands begin with.
 */
function callsByName(text: string, own: readonly string[], name: string): boolean {
  const names = own.flatMap(wordsOf);
  const words = wordsOf(text);
  return (
    words.every((word) => begins(names, word) || begins(wordsOf(name), word)) &&
    words.some((word) => word.length >= minLetters && begins(names, word))
  );
}

const namesOf = ({ displayName, nouns }: SourceRow): readonly string[] => [
  displayName,
  ...nouns.one,
  ...nouns.many,
];

function findsCommand(view: ControlPlaneView, row: SlashRow, text: string): boolean {
  const { displayName, slash, description = '' } = row;
  if (isListed(view, row)) return includesWords(`${displayName} /${slash} ${description}`, text);
  const source = sourceOf(view, pickedSource(row));
  return callsByName(text, [slash, ...(source ? namesOf(source) : [])], displayName);
}

function findsCatalog({ unlisted }: ControlPlaneView, { source }: CatalogRow, text: string): boolean {
  if (unlisted.includes(source.id)) return callsByName(text, namesOf(source), '');
  return includesWords([source.displayName, ...source.nouns.many].join(' '), text);
}

/** The commands and catalogs that a text finds. */
export function commandMatches(view: ControlPlaneView | null, text: string) {
  if (!view) return { commands: [], catalogs: [] };
  return {
    commands: commandRows(view).filter((row) => findsCommand(view, row, text)),
    catalogs: catalogsOf(view).filter((row) => findsCatalog(view, row, text)),
  };
}

/** Whether a command is called by these words, not only described by them. */
export const namesCommand = (view: ControlPlaneView | null, text: string): boolean =>
  commandMatches(view, text).commands.some((row) => rankOf(row, text) < 3);

function useMatches(text: string) {
  const view = useMirror((mirror) => mirror.controlPlane);
  return useMemo(() => {
    const { commands, catalogs } = commandMatches(view, text);
    const ranked =
      text.trim() === '' ? commands : commands.toSorted((a, b) => rankOf(a, text) - rankOf(b, text));
    return { commands: ranked.slice(0, rowsListed), catalogs: catalogs.slice(0, rowsListed) };
  }, [view, text]);
}

function useCommandKeys(): (id: string) => string | undefined {
  const rows = useActionRows();
  return (id) => rows.find((row) => row.id === id)?.keys;
}

const KeysIfAny = ({ keys }: { readonly keys: string | undefined }) =>
  keys === undefined ? null : <Keys keys={keys} />;

export interface CommandItemsProps {
  readonly search: string;
  /** Closes the palette, then calls `run`. */
  readonly onClosed: (run: () => void) => void;
}

/** The enabled commands and lists; each opens its picker. */
export function CommandItems({ search, onClosed }: CommandItemsProps) {
  const app = useApp();
  const keysOf = useCommandKeys();
  const { commands, catalogs } = useMatches(search);
  const pick = (row: SlashRow) => onClosed(() => openCommand(app, row));
  return (
    <>
      {commands.length > 0 && (
        <Command.Group heading={text('palette.commands')}>
          {commands.map((row) => (
            <Command.Item
              key={row.commandId}
              value={`command ${row.commandId}`}
              onSelect={() => pick(row)}
              className={menuItem}
            >
              <SlashSquare aria-hidden size={14} className="shrink-0 text-muted" />
              <EntityName text={row.displayName} className="shrink-0 truncate" />
              <EntityName text={row.description ?? ''} className="flex-1 truncate text-xs text-muted" />
              <span className="font-mono text-xs text-muted">/{row.slash}</span>
              <KeysIfAny keys={keysOf(row.commandId)} />
            </Command.Item>
          ))}
        </Command.Group>
      )}
      {catalogs.length > 0 && (
        <Command.Group heading={text('palette.lists')}>
          {catalogs.map(({ source, row }) => (
            <Command.Item
              key={source.id}
              value={`list ${source.id}`}
              onSelect={() => pick(row)}
              className={menuItem}
            >
              <List aria-hidden size={14} className="shrink-0 text-muted" />
              <EntityName text={source.displayName} className="flex-1 truncate" />
              {source.status.state !== 'ready' && (
                <span className="text-xs text-muted">{statusText[source.status.state]}</span>
              )}
            </Command.Item>
          ))}
        </Command.Group>
      )}
    </>
  );
}

const statusText = {
  loading: text('palette.status.loading'),
  stale: text('palette.status.stale'),
  failed: text('palette.status.failed'),
} as const;
