import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/[\\/]$/, '');

/** Everything that set-up creates and can recreate; ignored by git. */
export const CACHE = path.join(ROOT, '.cache');

/** @param {string} name relative to the root */
export const fromRoot = (name) => path.join(ROOT, name);
