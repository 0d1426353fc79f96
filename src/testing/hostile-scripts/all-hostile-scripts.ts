import { endless } from './endless';
import { escapes } from './escapes';
import type { HostileScript } from './hostile-script';
import { memory } from './memory';
import { values } from './values';

/**
 * All hostile scripts; `npm test` runs a seeded sample on each engine, `npm run soak -- scripts` runs all of
 * them.
 */
export const hostileScripts: readonly HostileScript[] = [...escapes, ...endless, ...memory, ...values];
