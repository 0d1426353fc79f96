import { appError } from '#shared/app-error';
import type { Grant, GrantWish } from '#shared/grant';
import { err, ok, type Result } from '#shared/result';
import type { Clock } from '../ports/clock';
import type { GrantStore } from '../ports/grant-store';
import type { Ids } from '../ports/ids';
import { grantsOf, type AnsweredCall, type GrantPlace } from './grants';

export interface GrantDeskDeps {
  readonly store: GrantStore;
  readonly ids: Ids;
  readonly clock: Clock;
  /** The hash of the definition a tool is held to. */
  readonly definitionOf: (tool: string) => string | undefined;
}

/** Where the user's standing answers are given, looked at and taken back. */
export interface GrantDesk {
  give(
    wish: GrantWish,
    calls: readonly Omit<AnsweredCall, 'definition'>[],
    place: Required<GrantPlace>,
  ): Result<readonly Grant[]>;
  list(): Result<readonly Grant[]>;
  revoke(ids: readonly string[]): Result<null>;
}

const nothingMeant = appError('HOST', 'INVALID_INPUT', 'No call on the card is answered that way.', {
  hint: 'Approve at least one call, or answer just this once.',
});

export function createGrantDesk({ store, ids, clock, definitionOf }: GrantDeskDeps): GrantDesk {
  return {
    give(wish, calls, place) {
      const known = calls.map((call) => ({ ...call, definition: definitionOf(call.tool) }));
      const at = clock.now();
      const grants = grantsOf(wish, known, place).map((grant) => ({ ...grant, id: ids.next('grant'), at }));
      if (grants.length === 0) return err(nothingMeant);
      const kept = store.add(grants);
      return kept.ok ? ok(grants) : kept;
    },
    list: store.list,
    revoke: store.remove,
  };
}
