import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import type { QuickJsSandbox } from './quickjs-sandbox';

/** Stands where `SANDBOX_ENGINE` names no engine there is: refuses every unit and says what it could be. */
export function createUnknownSandbox(name: string): QuickJsSandbox {
  const detail = `SANDBOX_ENGINE is "${name}"; it can be quickjs or null.`;
  const error = appError('CONFIG', 'INVALID', detail, {
    problems: [
      { file: 'environment', field: 'SANDBOX_ENGINE', rule: 'quickjs or null', reason: `it is "${name}"` },
    ],
  });
  return {
    // Units are written for the engine that would run them; it is this setting that is wrong, not the unit.
    name: 'quickjs',
    execute: async () => ({ envelope: err(error), log: [] }),
    health: async () => ({ engine: 'quickjs', ready: false, workers: 0, detail }),
    capabilities: () => [],
    warm: () => undefined,
    release: () => undefined,
    close: async () => undefined,
    selfTest: async () => [{ name: 'engine', ok: false, detail }],
  };
}
