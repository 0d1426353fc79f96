import type { CommandDefinition } from './command';
import type { AgentModeSummary } from './mode';
import type { ResolverItem, SourceDefinition, ResolverSource, SourceStatus } from './resolver';

/** A command as the window offers it: in the palette, after a slash, on a chip. */
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
  | 'shortcut'
  | 'setsActiveContext'
  | 'activeEntityType'
  | 'requiresConfirmation'
  | 'producesSideEffects'
> & {
  /** The command that takes what is chosen from its list; an executable's own. */
  readonly takenBy: string;
};

export interface SourceRow extends SourceDefinition {
  readonly source: ResolverSource;
  readonly status: SourceStatus;
  /** The command that takes its items; none: nothing switched on does. */
  readonly takenBy?: string;
}

/** What the control plane has switched on for a session. */
export interface ControlPlaneView {
  readonly mode: AgentModeSummary;
  readonly modes: readonly AgentModeSummary[];
  readonly commands: readonly CommandRow[];
  readonly sources: readonly SourceRow[];
}

/** Part of a source's items that fit what was typed. */
export interface PickerPage {
  readonly items: readonly ResolverItem[];
  readonly offset: number;
  readonly total: number;
  readonly status: SourceStatus;
  /** What the list leaves out, in words. */
  readonly missing?: string;
  /** The item the router would take first. */
  readonly highlightId?: string;
}
