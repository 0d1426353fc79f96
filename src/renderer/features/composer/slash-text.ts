import type { PickerPage } from '#shared/control-plane';
import type { SlashRow } from '../../store/slash-lines';

/** What a line that begins with a slash is about to name: a command, or one of its items. */
export type SlashStage =
  | { readonly stage: 'name'; readonly prefix: string }
  | { readonly stage: 'item'; readonly row: SlashRow; readonly rest: string };

/** A longer line is no command that is being typed. */
const longest = 300;

/** The name and what stands behind it; `rest` is nothing while the name is still being typed. */
function readLine(text: string): { readonly prefix: string; readonly rest?: string } | null {
  if (!text.startsWith('/') || text.length > longest) return null;
  if (text === '/') return { prefix: '' };
  const match = /^\/([a-z][a-z0-9-]*)(?: +([^\n\r]*))?$/iu.exec(text);
  if (!match) return null;
  const [, name = '', rest] = match;
  return { prefix: name.toLowerCase(), ...(rest !== undefined && { rest }) };
}

/** Reads the line as far as it is typed; `/usr/bin` and other text with a slash in front is nothing. */
export function slashStage(text: string, rows: readonly SlashRow[]): SlashStage | null {
  const line = readLine(text);
  if (!line) return null;
  const { prefix, rest } = line;
  if (rest === undefined) {
    return rows.some(({ slash }) => slash.startsWith(prefix)) ? { stage: 'name', prefix } : null;
  }
  const row = rows.find(({ slash, commandKind }) => slash === prefix && commandKind === 'executable');
  return row ? { stage: 'item', row, rest } : null;
}

/** One line of the menu, and what the draft becomes when it is taken. */
export interface SlashOption {
  readonly key: string;
  readonly name: string;
  readonly note: string;
  readonly about: string;
  readonly text: string;
}

/** More rows than anyone reads; typing one more letter finds the rest. */
const namesListed = 100;

/** The names that begin with what is typed: that very name first, then in the order of letters. */
export function nameOptions(prefix: string, rows: readonly SlashRow[]): readonly SlashOption[] {
  return rows
    .filter(({ slash }) => slash.startsWith(prefix))
    .sort((a, b) => Number(b.slash === prefix) - Number(a.slash === prefix) || (a.slash < b.slash ? -1 : 1))
    .slice(0, namesListed)
    .map(({ commandId, slash, displayName, description, commandKind }) => ({
      key: commandId,
      name: `/${slash}`,
      note: displayName,
      about: description ?? '',
      // A launcher names nothing: its list is the next thing to see.
      text: commandKind === 'executable' ? `/${slash} ` : `/${slash}`,
    }));
}

export function itemOptions(row: SlashRow, page: PickerPage | null): readonly SlashOption[] {
  return (page?.items ?? []).map(({ header, description, aliases }) => ({
    key: header.id,
    name: header.displayName || header.id,
    note: header.id,
    about: [description, aliases.length > 0 && `also ${aliases.join(', ')}`].filter(Boolean).join(' · '),
    text: `/${row.slash} ${header.id}`,
  }));
}

const fold = (text: string) => text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();

/** Whether the line already names what it is about, a command or one of its items: then Enter sends it as it is. */
export function isFinished(stage: SlashStage, rows: readonly SlashRow[], page: PickerPage | null): boolean {
  if (stage.stage === 'name') return rows.some(({ slash }) => slash === stage.prefix);
  const wanted = fold(stage.rest);
  if (wanted === '') return false;
  return (page?.items ?? []).some(({ header, aliases }) =>
    [header.id, header.displayName, ...aliases].some((name) => fold(name) === wanted),
  );
}
