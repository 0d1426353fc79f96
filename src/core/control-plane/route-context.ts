import type { ResolverSource } from '#shared/resolver';
import type { Question } from '#shared/route';
import type { ActiveWorkContext } from '#shared/work-context';
import type { ItemIndex } from './item-index';
import type { RoutingTable } from './routing-table';

/**
 * Everything that routing depends on: the same text and the same context give the same action (AGN-000037 §3,
 * §7).
 */
export interface RouteContext {
  /** Compiled only from the active commands and their sources (AGN-000037 §5, Activation rules). */
  readonly table: RoutingTable;
  /** Slash names that the mode would have if the user had the roles that their commands or toolboxes need. */
  readonly withheld: ReadonlySet<string>;
  /** The key of another mode that has a slash name under the user's roles. */
  readonly modeWithSlash: (slash: string) => string | undefined;
  /** The index of a source's items; undefined when they are not available now. */
  readonly indexOf: (source: ResolverSource) => ItemIndex | undefined;
  /** Ids of sources that failed or are slow; the trace names them. */
  readonly unavailable: readonly string[];
  /** The active mode's Key. */
  readonly mode: string;
  /** Whether a picker can be shown. */
  readonly ui: boolean;
  readonly focus: ActiveWorkContext | null;
  /** The router's open question that this line may answer. */
  readonly question: Question | null;
  /** Whether a source's items are stale; stale items are offered, never invoked. */
  readonly stale: (source: ResolverSource) => boolean;
}
