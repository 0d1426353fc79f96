import { join } from 'node:path';
import { createSqliteSessionStore, type HomeStore } from './adapters/storage/sqlite-session-store';
import { processAlive } from './adapters/system/process-alive';
import type { Foundation } from './foundation';
import { holderName } from './host';
import { salvageNotice } from './storage-notices';
import { createGrantDesk, type GrantDesk } from './tools/grant-desk';
import { createPinDesk, type PinDesk } from './tools/pins';

/** The sessions database of this home. */
export function createStore({ host, clock, notices }: Foundation): HomeStore {
  return createSqliteSessionStore({
    path: join(host.home, 'sessions.db'),
    clock,
    holder: holderName(host),
    pid: process.pid,
    processAlive,
    onSalvage: (salvage) => notices.raise(salvageNotice(salvage)),
  });
}

/** What the user said that holds on: standing answers, and the tools they know. */
export function composeStanding(
  { ids, clock }: Foundation,
  store: HomeStore,
): { readonly pins: PinDesk; readonly grants: GrantDesk } {
  const pins = createPinDesk(store.pins);
  return { pins, grants: createGrantDesk({ store: store.grants, ids, clock, definitionOf: pins.hashOf }) };
}
