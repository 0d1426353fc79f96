import { QuickJS } from 'quickjs-wasi';
import { inflateRawSync } from 'node:zlib';
import prepared from './pack-template?prepared';
import type { PackedTemplate } from './pack-template';
import type { TakeTemplate } from './wasi-engine';

/** The template made when this worker was built, from the same engine and prelude that its file contains. */
export const takeBuiltInTemplate: TakeTemplate = () => {
  const { memory, start, completeCall } = prepared as PackedTemplate;
  const bytes = inflateRawSync(Buffer.from(memory, 'base64'));
  return Promise.resolve({ snapshot: QuickJS.deserializeSnapshot(bytes), start, completeCall });
};
