import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { GrantStore } from '../../../core/ports/grant-store';
import type { Connection } from './connection';
import { transact } from './sqlite';

const notThere = appError('HOST', 'NOT_FOUND', 'There is no such standing answer.', {
  hint: 'It may have been revoked already.',
});

/** The standing answers of this home, over the sessions database. */
export function createGrantCalls(connection: Connection): GrantStore {
  return {
    list: () => connection.use('read the standing answers', ({ grants }) => ok(grants.list())),
    add: (given) =>
      connection.use('keep the standing answer', ({ db, grants }) =>
        transact(db, () => {
          for (const grant of given) grants.add(grant);
          return ok(null);
        }),
      ),
    remove: (ids) =>
      connection.use('revoke the standing answer', ({ db, grants }) =>
        transact(db, (undo) => {
          if (ids.map((id) => grants.remove(id)).every(Boolean)) return ok(null);
          undo();
          return err(notThere);
        }),
      ),
  };
}
