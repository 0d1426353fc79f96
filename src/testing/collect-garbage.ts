import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects unreachable objects and lets native modules release their resources. */
export async function collectGarbage(): Promise<void> {
  collect();
  await nextTurn();
  await nextTurn();
}
