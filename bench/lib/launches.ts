import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { electronExecutable, findElectron } from '../../scripts/lib/electron.mjs';
import { rootFlags } from '../../scripts/lib/launch-electron.mjs';
import { ROOT } from '../../scripts/lib/paths.mjs';

/** How to start one of the two compared apps. */
export interface Launch {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** Nothing of the user's environment affects a number: no key, no model, no search for servers. */
const quiet = {
  OPENAI_API_KEY: '',
  OPENAI_BASE_URL: '',
  PATINA_MODEL: '',
  PATINA_DISCOVERY: 'off',
  ELECTRON_RUN_AS_NODE: undefined,
};

function launchOf(app: string, home: string, more: Readonly<Record<string, string>>): Launch {
  const electron = findElectron();
  if (!electron) throw new Error('There is no Electron yet. Run "npm run setup" first.');
  const own = { ELECTRON_OVERRIDE_DIST_PATH: electron.dist, PATINA_HOME: home };
  const all = Object.entries({ ...process.env, ...quiet, ...own, ...more });
  const env = Object.fromEntries(
    all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return { executablePath: electronExecutable(electron), args: [...rootFlags(), app], env };
}

/** A temporary folder of the bench. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patina-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** The built app on a home. */
export function patinaLaunch(home: string, env: Readonly<Record<string, string>> = {}): Launch {
  const launch = launchOf(ROOT, home, env);
  return { ...launch, args: [...launch.args, '--project', home] };
}

/** The empty window on a home. */
export const emptyLaunch = (home: string): Launch => launchOf(join(ROOT, 'bench/empty-window'), home, {});
