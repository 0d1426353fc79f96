import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DdrAnswer } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { createDdrFolder } from '../main/adapters/ddrs/ddr-folder';
import { processAlive } from '../main/adapters/system/process-alive';
import { createDdrs } from '../core/ddrs/create-ddrs';

const [, , home = '', rounds = '1'] = process.argv;

const ddrs = createDdrs({
  store: createDdrFolder({
    folder: path.join(home, 'ddrs'),
    seeds: path.join(home, 'seeds'),
    pid: process.pid,
    processAlive,
    now: () => Date.now(),
    wait: () => pause(10),
  }),
  userName: () => 'child',
  localTime: () => '',
});

const call = (operation: string, payload: JsonObject): Promise<DdrAnswer> =>
  ddrs.call(
    { operation, payload },
    {
      sessionId: null,
      turn: null,
      callId: 'call',
      actor: 'user',
      approve: 'none',
      cause: { toolCallId: 'call' },
      signal: new AbortController().signal,
    },
    () => Promise.resolve(false),
  );

/** Retries for as long as another process was faster. */
async function insist(operation: string, payload: JsonObject): Promise<void> {
  for (;;) {
    const answer = await call(operation, payload);
    if (answer.ok) return;
    if (answer.error.code !== 'conflict') throw new Error(answer.error.message);
  }
}

for (let round = 0; round < Number(rounds); round += 1) {
  const created = await call('create_ddr', { tla: 'AGN', title: `From ${process.pid}`, summary: 's' });
  if (!created.ok) throw new Error(created.error.message);
  await insist('add_chapter', { id: 'AGN-001', title: `${process.pid} ${round}`, summary: 's' });
}
