import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { problemLine } from '#shared/app-error';
import { OfferedModel } from '#shared/local-model';
import { createLocalModels, type LocalModels } from '../adapters/local-model/local-models';
import { createModelDownload } from '../adapters/local-model/model-download';
import { createModelFolder } from '../adapters/local-model/model-folder';
import { createModelRunner, type Machine } from '../adapters/local-model/model-runner';
import { proxiesOf } from '../adapters/system/proxied-fetch';
import { fetchFor } from '../adapters/system/system-proxy';
import { processAlive } from '../adapters/system/process-alive';
import { readJsonFile } from '../adapters/policy/json-file';
import type { CoreDeps } from './core-deps';

/** Bytes that a new process can have. macOS counts memory that it would give away as used. */
export function freeMemory(): number {
  if (process.platform === 'darwin') return totalmem() / 2;
  // Respects the limit of a container; newer than the oldest Node that Patina runs on.
  return 'availableMemory' in process ? process.availableMemory() : freemem();
}

const machine: Machine = { cores: availableParallelism(), load: () => loadavg()[0] ?? 0, freeMemory };

/** The model that is offered for download: the user's own row, `PATINA_HOME/local-model.json`, before Patina's. */
function offeredModel({ host, seeds, notices }: Pick<CoreDeps, 'host' | 'seeds' | 'notices'>): OfferedModel {
  const file = join(host.home, 'local-model.json');
  const own = readJsonFile(file, OfferedModel);
  if (own.ok) return own.value ?? seeds.offeredModel;
  notices.raise({
    id: 'model-file',
    level: 'warning',
    title: 'Your model to download cannot be read',
    detail: own.error.map(problemLine).join(' '),
    hint: `Fix ${file}, which Patina did not change; until then Patina offers its own model.`,
  });
  return seeds.offeredModel;
}

/** The models on this computer, each in a process of its own, and the one to download. */
export function composeLocalModels(
  coreDeps: Pick<CoreDeps, 'host' | 'seeds' | 'notices' | 'clock' | 'settings'>,
): LocalModels {
  const { host, clock, settings } = coreDeps;
  const folder = createModelFolder(host.home);
  return createLocalModels({
    folder,
    runner: createModelRunner({ start: host.startLocalModel, machine, clock }),
    download: createModelDownload({
      folder,
      clock,
      direct: fetchFor(host),
      proxies: () => proxiesOf(settings.get().modelProxy, host.env),
      lock: { pid: process.pid, processAlive, now: clock.now, wait: () => sleep(20) },
    }),
    offered: offeredModel(coreDeps),
    mirror: () => settings.get().modelMirror,
    memory: { free: freeMemory, total: totalmem() },
  });
}
