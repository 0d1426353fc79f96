import { QuickJS } from 'quickjs-wasi';
import { deflateRawSync } from 'node:zlib';
import { compileEngine } from './wasi-engine';
import { takeTemplate } from './wasi-template';

/** A template as the worker's file carries it: the memory deflated, as base64, and where the bridge lies in it. */
export interface PackedTemplate {
  readonly memory: string;
  readonly start: number;
  readonly settle: number;
}

/** Runs while the worker is built: a prelude that has run already costs no start its hundred milliseconds. */
export async function prepare(): Promise<PackedTemplate> {
  const { snapshot, start, settle } = await takeTemplate(await compileEngine());
  const bytes = QuickJS.serializeSnapshot(snapshot);
  return { memory: deflateRawSync(bytes, { level: 9 }).toString('base64'), start, settle };
}
