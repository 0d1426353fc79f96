import type { ResolverItem, ResolverSource, SourceDefinition } from '#shared/resolver';
import type { Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';

/** Whose items are wanted: some sources differ by session or project folder. */
export interface SourceScope {
  readonly sessionId: string | null;
  readonly project: string | null;
  /** What of the session's state some lists are made of, also of a session that nobody has open; without it there is none. */
  readonly state?: Pick<SessionState, 'context' | 'workflowPin'> | null;
}

/** A source of items: a catalog file, or code (AGN-000037 §5, one shape out). */
export interface ItemSource {
  readonly source: ResolverSource;
  readonly definition: SourceDefinition;
  /** Items older than this are shown as stale and read again; none: they change only when told. */
  readonly ttlSeconds?: number;
  /** What its items depend on: the same key gives the same list. */
  readonly scopeKey: (scope: SourceScope) => string;
  /** May be slow and may fail: nothing waits for it longer than the router's bound. */
  readonly load: (scope: SourceScope, signal: AbortSignal) => Promise<Result<readonly ResolverItem[]>>;
  /** What opening the list or a refresh does, which the user asked for: it may start what `load` leaves alone. Without it, `load`. */
  readonly refresh?: ItemSource['load'];
  /** What the items last read leave out, in words for whoever chooses from them; none: they are all there is. */
  readonly missing?: (scope: SourceScope) => string | undefined;
  /** When the items were made, in milliseconds since the epoch, if the source says so itself (a catalog file's `refreshedAt`). */
  readonly refreshedAt?: number;
  /** Told when the items of any scope have changed. Returns the way to stop. */
  readonly onChange?: (listener: () => void) => () => void;
}
