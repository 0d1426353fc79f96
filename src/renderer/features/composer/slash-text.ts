import { slashNames } from '#shared/command';
import type { PickerPage } from '#shared/control-plane';
import { text } from '../../locales/text';
import type { SlashRow } from '../../store/slash-lines';
import { formatList } from '../../ui/format';

/** The target that a slash line is about to name: a command, or one of its items. */
export type SlashStage =
  | { readonly stage: 'name'; readonly prefix: string }
  | { readonly stage: 'item'; readonly row: SlashRow; readonly rest: string };

/** A longer line is not a command being typed. */
const maxLength = 300;

/** The command name and the text after it; `rest` is undefined while the name is still being typed. */
function readLine(text: string): { readonly prefix: string; readonly rest?: string } | null {
  if (!text.startsWith('/') || text.length > maxLength) return null;
  if (text === '/') return { prefix: '' };
  const match = /^\/([a-z][a-z0-9-]*)(?: +([^\n\r]*))?$/iu.exec(text);
  if (!match) return null;
  const [, name = '', rest] = match;
  return { prefix: name.toLowerCase(), ...(rest !== undefined && { rest }) };
}

/** Parses the line typed so far; returns null for `/usr/bin` and other text with a leading slash. */
export function slashStage(text: string, rows: readonly SlashRow[]): SlashStage | null {
  const line = readLine(text);
  if (!line) return null;
  const { prefix, rest } = line;
  if (rest === undefined) {
    return rows.some((row) => rankOf(row, prefix) < 3) ? { stage: 'name', prefix } : null;
  }
  const row = rows.find((one) => slashNames(one).includes(prefix) && one.commandKind === 'executable');
  return row ? { stage: 'item', row, rest } : null;
}

/** One line of the menu, and the draft that results from choosing it. */
export interface SlashOption {
  readonly key: string;
  readonly name: string;
  readonly note: string;
  readonly about: string;
  readonly text: string;
}

/** Nobody reads more rows than this; typing another letter finds the rest. */
const namesListed = 100;

/** The name that the typed text begins, else the command's own. */
const nameFor = (row: SlashRow, prefix: string): string =>
  slashNames(row).find((name) => name.startsWith(prefix)) ?? row.slash;

/**
 * How well a command matches the typed text, best first: it is a name, a name begins with it, or a later
 * word of the name or a word of the title does. 3: it does not match.
 */
function rankOf(row: SlashRow, prefix: string): number {
  const name = nameFor(row, prefix);
  if (slashNames(row).includes(prefix)) return 0;
  if (name.startsWith(prefix)) return 1;
  const words = [...row.slash.split('-'), ...row.displayName.toLowerCase().split(/\s+/)];
  return words.some((word) => word.startsWith(prefix)) ? 2 : 3;
}

/** Of the names that begin with the typed text, the one with the least left to type comes first. */
function leftToType(row: SlashRow, prefix: string): number {
  const name = nameFor(row, prefix);
  return prefix !== '' && name.startsWith(prefix) ? name.length : 0;
}

/** The commands that match the typed text, best first; equally good ones keep the order of their toolboxes. */
export function nameOptions(prefix: string, rows: readonly SlashRow[]): readonly SlashOption[] {
  return rows
    .map((row) => ({ row, rank: rankOf(row, prefix) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || leftToType(a.row, prefix) - leftToType(b.row, prefix))
    .slice(0, namesListed)
    .map(({ row }) => {
      const name = `/${nameFor(row, prefix)}`;
      // A launcher takes no item: choosing it opens its list.
      const line = row.commandKind === 'executable' ? `${name} ` : name;
      return { key: row.commandId, name, note: row.displayName, about: row.description ?? '', text: line };
    });
}

export function itemOptions(row: SlashRow, page: PickerPage | null): readonly SlashOption[] {
  return (page?.items ?? []).map(({ header, description, aliases }) => ({
    key: header.id,
    name: header.displayName || header.id,
    note: header.id,
    about: [description, aliases.length > 0 && text('composer.slash.also', { names: formatList(aliases) })]
      .filter(Boolean)
      .join(' · '),
    text: `/${row.slash} ${header.id}`,
  }));
}

const fold = (text: string) => text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();

/** Whether the line already names a command or item exactly; then Enter sends it as it is. */
export function isFinished(stage: SlashStage, rows: readonly SlashRow[], page: PickerPage | null): boolean {
  if (stage.stage === 'name') return rows.some((row) => slashNames(row).includes(stage.prefix));
  const wanted = fold(stage.rest);
  if (wanted === '') return false;
  return (page?.items ?? []).some(({ header, aliases }) =>
    [header.id, header.displayName, ...aliases].some((name) => fold(name) === wanted),
  );
}
