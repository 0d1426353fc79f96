import { QuickJS } from 'quickjs-wasi';
import { deflateRawSync } from 'node:zlib';
import { compileEngine } from './wasi-engine';
import { takeTemplate } from './wasi-template';

/**
 * A template as the worker's file contains it: the deflated memory as base64, and the location of the bridge
 * in it.
 */
export interface PackedTemplate {
  readonly memory: string;
  readonly start: number;
  readonly completeCall: number;
}

/** Runs while the worker is built, so that no start spends a hundred milliseconds on the prelude. */
export async function prepare(): Promise<PackedTemplate> {
  const { snapshot, start, completeCall } = await takeTemplate(await compileEngine());
  const bytes = QuickJS.serializeSnapshot(snapshot);
  return { memory: deflateRawSync(bytes, { level: 9 }).toString('base64'), start, completeCall };
}
