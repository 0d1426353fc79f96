import type { ResolverItem, ResolverSource, SourceDefinition } from '#shared/resolver';
import type { Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';

/** The session and project to list items for; some sources depend on them. */
export interface SourceScope {
  readonly sessionId: string | null;
  readonly project: string | null;
  /**
   * Session state that some lists depend on, also for a session that is not open; absent or
   * null when there is none.
   */
  readonly state?: Pick<SessionState, 'blocks' | 'context' | 'head' | 'workflowPin'> | null;
}

/** A source of items: a catalog file or code (AGN-000037 §5), with one output shape. */
export interface ItemSource {
  readonly source: ResolverSource;
  readonly definition: SourceDefinition;
  /** Older items are shown as stale and reloaded; absent: items change only on notification. */
  readonly ttlSeconds?: number;
  /** Cache key of the items: the same key yields the same list. */
  readonly scopeKey: (scope: SourceScope) => string;
  /** May be slow and may fail; nothing waits for it longer than the router's timeout. */
  readonly load: (scope: SourceScope, signal: AbortSignal) => Promise<Result<readonly ResolverItem[]>>;
  /**
   * Loads items when the user opens or refreshes the list; may start servers that `load` does
   * not. Defaults to `load`.
   */
  readonly refresh?: ItemSource['load'];
  /** Whether the slash line of a command on this source also counts as opening its list. */
  readonly opensBySlash?: boolean;
  /** Describes, for the user, what the last loaded items leave out; undefined when they are complete. */
  readonly missing?: (scope: SourceScope) => string | undefined;
  /**
   * When the items were generated, in milliseconds since the epoch, if the source declares it (a catalog
   * file's `refreshedAt`).
   */
  readonly refreshedAt?: number;
  /** Notifies the listener when the items of any scope change. Returns an unsubscribe function. */
  readonly onChange?: (listener: () => void) => () => void;
}
