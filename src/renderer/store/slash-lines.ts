import type { CommandRow, ControlPlaneView, SourceRow } from '#shared/control-plane';
import { sourceId, type ResolverSource } from '#shared/resolver';

/** A command that can be spoken as a line. */
export type SlashRow = CommandRow & { readonly slash: string };

export const hasSlash = (row: CommandRow): row is SlashRow => row.slash !== undefined;

/** The commands of a view that can be spoken; none while the view is yet to come. */
export function slashRows(view: ControlPlaneView | null): readonly SlashRow[] {
  return view?.commands.filter(hasSlash) ?? [];
}

/** What the user would type: every choice made in the window goes out as this line, and so is on the record. */
export function slashLine(row: SlashRow, id: string): string {
  return `/${row.slash} ${id}`;
}

/** The source a command's picker shows: a launcher may name another than its own. */
export function pickedSource(row: CommandRow): ResolverSource {
  return row.commandKind === 'launcher' && row.targetCatalogId !== undefined
    ? { catalogId: row.targetCatalogId }
    : row.resolverSource;
}

/** The command that takes what is chosen from a command's or a source's list, if the window can speak it. */
export function takingCommand(
  view: ControlPlaneView | null,
  { takenBy }: Pick<SourceRow, 'takenBy'>,
): SlashRow | undefined {
  return slashRows(view).find(
    ({ commandId, commandKind }) => commandId === takenBy && commandKind === 'executable',
  );
}

/** The command that puts an entity of this type in focus. */
export function focusCommand(view: ControlPlaneView | null, entityType: string): SlashRow | undefined {
  return slashRows(view).find((row) => row.setsActiveContext && row.activeEntityType === entityType);
}

export function commandOf(view: ControlPlaneView | null, commandId: string): CommandRow | undefined {
  return view?.commands.find((row) => row.commandId === commandId);
}

export function sourceOf(view: ControlPlaneView | null, source: ResolverSource): SourceRow | undefined {
  const id = sourceId(source);
  return view?.sources.find((row) => row.id === id);
}

/** `SetActiveEmailTemplate` as words, for a command that is no longer switched on. */
function wordsOf(commandId: string): string {
  const words = commandId
    .replace(/_/g, ' ')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A command's name for the eye. */
export function commandName(view: ControlPlaneView | null, commandId: string): string {
  return commandOf(view, commandId)?.displayName ?? wordsOf(commandId);
}

/** The commands the window speaks on its own controls. */
export const setModeId = 'SetMode';
export const releaseFocusId = 'ReleaseFocus';

export function findCommandRow(view: ControlPlaneView | null, commandId: string): SlashRow | undefined {
  return slashRows(view).find((row) => row.commandId === commandId);
}

const fold = (text: string) => text.trim().toLowerCase();

/** What of a prefilter is worth searching for: words that only name the list itself are not. */
export function searchText(view: ControlPlaneView | null, source: ResolverSource, prefilter: string): string {
  const nouns = sourceOf(view, source)?.nouns;
  const names = [...(nouns?.one ?? []), ...(nouns?.many ?? [])].map(fold);
  return names.includes(fold(prefilter)) ? '' : prefilter;
}

/** Items asked for at once. */
export const pageSize = 100;

/** The first page of a list, as whoever shows it asks for it. */
export const firstPage = (source: ResolverSource, text: string) => ({
  source,
  text: text.slice(0, 500),
  offset: 0,
  limit: pageSize,
});
