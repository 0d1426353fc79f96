import { randomBytes } from 'node:crypto';
import type { Ids } from '../../../core/ports/ids';

/** Ids of 96 random bits: unique across processes without coordination, safe in file names and URLs. */
export function createRandomIds(): Ids {
  return { next: (prefix) => `${prefix}_${randomBytes(12).toString('hex')}` };
}
