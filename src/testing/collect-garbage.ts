import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects what nobody holds any more, and lets native modules let go of what belonged to it. */
export async function collectGarbage(): Promise<void> {
  collect();
  await nextTurn();
  await nextTurn();
}
