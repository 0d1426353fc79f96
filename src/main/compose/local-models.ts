import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import { createLocalModels, type LocalModels } from '../adapters/local-model/local-models';
import { createModelFolder } from '../adapters/local-model/model-folder';
import { createModelRunner, type Machine } from '../adapters/local-model/model-runner';
import type { CoreDeps } from './core-deps';

/** macOS counts memory that it would give away as used. */
function freeMemory(): number {
  if (process.platform === 'darwin') return totalmem() / 2;
  // Respects the limit of a container; newer than the oldest Node that Patina runs on.
  return 'availableMemory' in process ? process.availableMemory() : freemem();
}

const machine: Machine = { cores: availableParallelism(), load: () => loadavg()[0] ?? 0, freeMemory };

/** The models on this computer, each in a process of its own. */
export const composeLocalModels = ({ host, clock }: Pick<CoreDeps, 'host' | 'clock'>): LocalModels =>
  createLocalModels({
    folder: createModelFolder(host.home),
    runner: createModelRunner({ start: host.startLocalModel, machine, clock }),
  });
