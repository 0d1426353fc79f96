import type { ProcessHost } from '../adapters/process-host';
import { join } from 'node:path';
import type { Notice } from '#shared/notice';
import { ok, type Result } from '#shared/result';
import { environmentModel } from '../adapters/llm/provider-directory';
import { finishInstalls } from '../adapters/seeds/pack-files';
import { readPacks } from '../adapters/seeds/read-packs';
import { createSettingsStore } from '../adapters/settings/settings-store';
import { createRandomIds } from '../adapters/system/machine';
import { checkProject } from '../adapters/system/project-folder';
import { createSystemClock } from '../adapters/system/system-clock';
import { agentModeFrom } from './agent-mode';
import { composeRecipeRegistry } from './recipes';
import { composeStoredWorkspace, type StoredWorkspace } from './workspace';
import { composeSeeds, packsLeftOut } from './seeds';
import { composeEventLog } from './event-log';
import { createNotices } from '../notices/notices';
import { packNotices } from '../notices/pack-notices';
import { trackSecrets } from '../settings/known-secrets';
import { preferModel } from '../settings/prefer-model';
import { providerDefinitions } from '../../core/sources/provider-definitions';
import { createElicitationQueue } from '../../core/tools/elicitation-queue';
import type { SettingsStore } from '../../core/ports/settings-store';
import type { CoreDeps } from './core-deps';

/**
 * Opening a folder in the app makes it the current project; the command line only visits it, and has checked
 * it. A notice says when the folder cannot be a project.
 */
function openProject(
  { kind, project }: Pick<ProcessHost, 'kind' | 'project'>,
  settings: Pick<SettingsStore, 'patch'>,
): readonly Notice[] {
  if (kind !== 'app' || project === null) return [];
  const folder = checkProject(project);
  if (folder.ok) {
    settings.patch({ project: folder.value });
    return [];
  }
  const { message, hint } = folder.error;
  const title = 'The folder of --project was not opened';
  return [
    { id: 'project-argument', level: 'warning', title, detail: message, ...(hint !== undefined && { hint }) },
  ];
}

/**
 * Reads the seeds and the settings, and builds what the conversation and the agent share. Errors: CONFIG/INVALID
 * for a seed, a mode or an id that breaks a startup rule.
 */
export function createCoreDeps(
  processHost: ProcessHost,
): Result<{ readonly coreDeps: CoreDeps; readonly stored: StoredWorkspace }> {
  const secrets = trackSecrets(processHost.secrets);
  const host: ProcessHost = { ...processHost, secrets };
  const without = packsLeftOut(host.env);
  const packs = join(host.home, 'packs');
  finishInstalls(packs);
  const seeds = composeSeeds(host.seeds, {
    packs: readPacks(packs, without),
    providers: providerDefinitions,
  });
  if (!seeds.ok) return seeds;
  const clock = createSystemClock();
  const stored = createSettingsStore({ home: host.home, createConf: host.createConf, now: clock.now });
  const settings = preferModel(stored, environmentModel(host.env));
  const workspace = composeStoredWorkspace(host);
  if (!workspace.ok) return workspace;
  const ids = createRandomIds();
  const notices = createNotices([
    ...settings.notices,
    ...packNotices(seeds.value.packs),
    ...openProject(host, settings),
  ]);
  const base = { host, seeds: seeds.value, notices };
  const seen = { knownSecrets: secrets.known, clock };
  const coreDeps: CoreDeps = {
    ...base,
    ...seen,
    recipes: composeRecipeRegistry(base, without),
    settings,
    ids,
    eventLog: composeEventLog({ host, ...seen }),
    elicitations: createElicitationQueue(ids),
    agentMode: agentModeFrom(host.env['PATINA_AGENT_MODE']),
  };
  return ok({ coreDeps, stored: workspace.value });
}
