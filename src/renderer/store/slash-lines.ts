import type { CommandRow, ControlPlaneView, SourceRow } from '#shared/control-plane';
import { sourceId, type ResolverSource } from '#shared/resolver';

/** A command that the user can type as a slash line. */
export type SlashRow = CommandRow & { readonly slash: string };

export const hasSlash = (row: CommandRow): row is SlashRow => row.slash !== undefined;

/** The slash commands of a view; empty until the view is loaded. */
export function slashRows(view: ControlPlaneView | null): readonly SlashRow[] {
  return view?.commands.filter(hasSlash) ?? [];
}

/** The slash commands that the palette and the menu list; window actions have rows of their own there. */
export function commandRows(view: ControlPlaneView | null): readonly SlashRow[] {
  return slashRows(view).filter(({ actionId }) => actionId === undefined);
}

/** The line a user would type: every choice in the window is sent as this line and so is recorded. */
export function slashLine(row: SlashRow, id: string): string {
  return `/${row.slash} ${id}`;
}

/** The source that a command's picker shows; a launcher can name another source than its own. */
export function pickedSource(row: CommandRow): ResolverSource {
  return row.commandKind === 'launcher' && row.targetCatalogId !== undefined
    ? { catalogId: row.targetCatalogId }
    : row.resolverSource;
}

/** The command that handles a choice from a command's or source's list, if it has a slash name. */
export function commandForItem(
  view: ControlPlaneView | null,
  { takenBy }: Pick<SourceRow, 'takenBy'>,
): SlashRow | undefined {
  return slashRows(view).find(
    ({ commandId, commandKind }) => commandId === takenBy && commandKind === 'executable',
  );
}

/** The command that focuses an entity of this type. */
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

/** `SetActiveEmailTemplate` as words, for a command that is no longer enabled. */
function wordsOf(commandId: string): string {
  const words = commandId
    .replace(/_/g, ' ')
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The display name of a command. */
export function commandName(view: ControlPlaneView | null, commandId: string): string {
  return commandOf(view, commandId)?.displayName ?? wordsOf(commandId);
}

/** The commands that the window's own controls send. */
export const setModeId = 'SetMode';
export const releaseFocusId = 'ReleaseFocus';

export function findCommandRow(view: ControlPlaneView | null, commandId: string): SlashRow | undefined {
  return slashRows(view).find((row) => row.commandId === commandId);
}

const fold = (text: string) => text.trim().toLowerCase();

/** The useful part of a prefilter: words that only name the list itself are dropped. */
export function searchText(view: ControlPlaneView | null, source: ResolverSource, prefilter: string): string {
  const nouns = sourceOf(view, source)?.nouns;
  const names = [...(nouns?.one ?? []), ...(nouns?.many ?? [])].map(fold);
  return names.includes(fold(prefilter)) ? '' : prefilter;
}

/** Items per page request. */
export const pageSize = 100;

/** The request for the first page of a list; every view uses it, so prefetched pages match. */
export const firstPage = (source: ResolverSource, text: string) => ({
  source,
  text: text.slice(0, 500),
  offset: 0,
  limit: pageSize,
});
