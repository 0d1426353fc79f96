import { ok } from '#shared/result';
import { parseToolUri } from '#shared/tool-name';
import type { PinStore } from '../../../core/ports/pin-store';
import type { Connection } from './connection';
import { transact } from './sqlite';

/** The pinned definitions of this home, over the sessions database. */
export function createPinCalls(connection: Connection): PinStore {
  return {
    list: () => connection.use('read the pinned tools', ({ pins }) => ok(pins.list())),
    put: (given) =>
      connection.use('pin the tools', ({ db, pins }) =>
        transact(db, () => {
          for (const pin of given) pins.put(pin);
          return ok(null);
        }),
      ),
    forget: (server) =>
      connection.use('forget the tools', ({ db, pins }) =>
        transact(db, () => {
          const gone = pins.list().filter(({ uri }) => parseToolUri(uri)?.server === server);
          for (const { uri } of gone) pins.remove(uri);
          return ok(null);
        }),
      ),
  };
}
