import type { ControlPlaneView } from '#shared/control-plane';
import type { ResolverSource } from '#shared/resolver';
import type { Turn } from '#shared/session-state';
import { text } from '../../locales/text';
import {
  commandName,
  commandOf,
  pickedSource,
  searchText,
  sourceOf,
  commandForItem,
  type SlashRow,
} from '../../store/slash-lines';

/** The content of a picker and its initial state. */
export interface Picked {
  readonly title: string;
  readonly source: ResolverSource;
  /** The plural noun for its items. */
  readonly noun: string;
  readonly text: string;
  readonly highlightId: string | undefined;
  /** One line per item (AGN-000037 §6, PickerType). */
  readonly compact: boolean;
  readonly version: string | undefined;
  /** The turn that opened the picker, or the command whose slash line sends the choice. */
  readonly by: { readonly turn: number } | { readonly row: SlashRow };
}

function nounOf(view: ControlPlaneView | null, source: ResolverSource): string {
  return sourceOf(view, source)?.nouns.many[0] ?? text('shared.itemsNoun');
}

/** The open picker of a turn's line; null once it is closed. */
export function pickedByTurn(view: ControlPlaneView | null, turn: Turn | undefined): Picked | null {
  const action = turn?.route?.action;
  if (!turn || action?.type !== 'open-picker' || turn.route?.picker?.status !== 'open') return null;
  const { source, commandId, prefilterText = '', highlightId, pickerType } = action;
  return {
    title: commandName(view, commandId),
    source,
    noun: nounOf(view, source),
    text: searchText(view, source, prefilterText),
    highlightId,
    compact: pickerType === 'compact',
    version: sourceOf(view, source)?.version,
    by: { turn: turn.turn },
  };
}

/** The picker of a slash command; for a launcher, the command that serves its items handles the choice. */
export function pickedByCommand(
  view: ControlPlaneView | null,
  commandId: string,
  highlightId?: string,
): Picked | null {
  const row = commandOf(view, commandId);
  if (!row) return null;
  const source = pickedSource(row);
  const taking = commandForItem(view, row);
  if (!taking) return null;
  const noun = nounOf(view, source);
  return {
    title: row.displayName,
    source,
    noun,
    text: '',
    highlightId,
    compact: row.pickerType === 'compact',
    version: sourceOf(view, source)?.version,
    by: { row: taking },
  };
}
