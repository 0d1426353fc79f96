import { appError } from '#shared/app-error';
import type { Grant, GrantRequest } from '#shared/grant';
import { err, ok, type Result } from '#shared/result';
import type { Clock } from '../ports/clock';
import type { GrantStore } from '../ports/grant-store';
import type { Ids } from '../ports/ids';
import { grantsOf, type AnsweredCall, type GrantContext } from './grants';

export interface GrantRegistryDeps {
  readonly store: GrantStore;
  readonly ids: Ids;
  readonly clock: Clock;
  /** The fingerprint of the definition that a tool is pinned to. */
  readonly definitionOf: (tool: string) => string | undefined;
}

/** Grants, lists and revokes the user's saved permissions. */
export interface GrantRegistry {
  give(
    request: GrantRequest,
    calls: readonly Omit<AnsweredCall, 'definition'>[],
    context: Required<GrantContext>,
  ): Result<readonly Grant[]>;
  list(): Result<readonly Grant[]>;
  revoke(ids: readonly string[]): Result<null>;
}

const nothingToGrant = appError('HOST', 'INVALID_INPUT', 'No call on this card has the answer to save.', {
  hint: 'Approve at least one call, or answer just this once.',
});

export function createGrantRegistry({ store, ids, clock, definitionOf }: GrantRegistryDeps): GrantRegistry {
  return {
    give(request, calls, context) {
      const known = calls.map((call) => ({ ...call, definition: definitionOf(call.tool) }));
      const at = clock.now();
      const grants = grantsOf(request, known, context).map((grant) => ({
        ...grant,
        id: ids.next('grant'),
        at,
      }));
      if (grants.length === 0) return err(nothingToGrant);
      const stored = store.add(grants);
      return stored.ok ? ok(grants) : stored;
    },
    list: store.list,
    revoke: store.remove,
  };
}
