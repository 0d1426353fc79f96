import { endless } from './endless';
import { escapes } from './escapes';
import type { HostileScript } from './hostile-script';
import { memory } from './memory';
import { values } from './values';

/** Every hostile script there is; `npm test` runs a seeded sample on each engine, `npm run soak -- scripts` all of them. */
export const hostileScripts: readonly HostileScript[] = [...escapes, ...endless, ...memory, ...values];
