import type { CommandDefinition } from './command';
import type { AgentModeSummary } from './mode';
import {
  sourceId,
  type ResolverItem,
  type ResolverSource,
  type SourceDefinition,
  type SourceStatus,
} from './resolver';

/** A command as the window shows it: in the palette, after a slash, on a chip. */
export type CommandRow = Pick<
  CommandDefinition,
  | 'commandId'
  | 'displayName'
  | 'description'
  | 'commandKind'
  | 'resolverSource'
  | 'targetCatalogId'
  | 'targetModeId'
  | 'pickerType'
  | 'slash'
  | 'slashAliases'
  | 'shortcut'
  | 'setsActiveContext'
  | 'activeEntityType'
  | 'requiresConfirmation'
  | 'producesSideEffects'
> & {
  /** The command that receives the item chosen from its list; for an executable, itself. */
  readonly takenBy: string;
  /** The window action that it stands for. */
  readonly actionId?: string;
};

export interface SourceRow extends SourceDefinition {
  readonly source: ResolverSource;
  readonly status: SourceStatus;
  /** The command that receives its items; absent when no enabled command does. */
  readonly takenBy?: string;
}

/** What the control plane enables for a session. */
export interface ControlPlaneView {
  readonly mode: AgentModeSummary;
  readonly modes: readonly AgentModeSummary[];
  readonly commands: readonly CommandRow[];
  readonly sources: readonly SourceRow[];
  /** Ids of the sources that lists leave out, together with their commands. */
  readonly unlisted: readonly string[];
}

/** Whether lists show a command. */
export const isListed = (
  { unlisted }: Pick<ControlPlaneView, 'unlisted'>,
  { resolverSource, targetCatalogId }: Pick<CommandRow, 'resolverSource' | 'targetCatalogId'>,
): boolean => !unlisted.includes(targetCatalogId ?? sourceId(resolverSource));

/** A page of a source's items that match the typed text. */
export interface PickerPage {
  readonly items: readonly ResolverItem[];
  readonly offset: number;
  readonly total: number;
  readonly status: SourceStatus;
  /** Describes what the list omits. */
  readonly missing?: string;
  /** The item that the router would choose first. */
  readonly highlightId?: string;
}
