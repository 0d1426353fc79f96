import type { ResolverSource } from '#shared/resolver';
import type { Question } from '#shared/route';
import type { ActiveWorkContext } from '#shared/work-context';
import type { ItemIndex } from './item-index';
import type { RoutingTable } from './routing-table';

/** All a line is routed by: the same text and the same context give the same action (AGN-000037 §3, §7). */
export interface RouteContext {
  /** Compiled from the active commands and their sources, and from nothing else (AGN-000037 §5, Activation rules). */
  readonly table: RoutingTable;
  /** Slash names the mode would have if the user held the roles their commands or toolboxes need. */
  readonly withheld: ReadonlySet<string>;
  /** The Key of another mode whose commands have a slash name, with the user's roles. */
  readonly modeWithSlash: (slash: string) => string | undefined;
  /** The items of a source; nothing when they are not to be had now. */
  readonly indexOf: (source: ResolverSource) => ItemIndex | undefined;
  /** Ids of sources that failed or are slow; the trace names them. */
  readonly unavailable: readonly string[];
  /** The active mode's Key. */
  readonly mode: string;
  /** Whether a picker can be shown. */
  readonly ui: boolean;
  readonly focus: ActiveWorkContext | null;
  /** The router's question that may own this line. */
  readonly question: Question | null;
  /** Whether a source's items are out of date: then they are offered, never invoked. */
  readonly stale: (source: ResolverSource) => boolean;
}
