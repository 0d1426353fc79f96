#!/usr/bin/env node
import { CommanderError } from 'commander';
import { appError, type AppError } from '#shared/app-error';
import { createNodeHost } from './adapters/cli/node-host';
import { bundleFiles } from './adapters/system/bundle-files';
import { packageVersion } from './adapters/system/package-version';
import { enterCallerFolder, pathArgument } from './cli/caller-paths';
import { createTerminal } from './cli/create-terminal';
import { globalsFirst } from './cli/globals-first';
import { fail } from './cli/output';
import { createProgram, type GlobalOptions } from './cli/program';
import type { RefusedWork, Work } from './cli/work';
import type { Notice } from '#shared/notice';
import { ok, type Result } from '#shared/result';
import type { App } from './app';
import { compose } from './compose/compose';
import type { Host } from './adapters/host';

const bundle = import.meta.dirname;
const argv = globalsFirst(process.argv.slice(2));

// A reader that has seen enough (`patina session events … | head`) ends the command; that is no fault of it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`HOST/STORAGE: the result could not be written: ${error.message}\n`);
  process.exit(1);
});
// Nobody reads the log: the work goes on without one.
process.stderr.on('error', () => undefined);

/** A folder that was named is used or refused; another one never stands in for it. */
function refusedProject(app: App, { project }: GlobalOptions): AppError | null {
  const checked = project === undefined ? null : app.checkProject(project);
  return checked === null || checked.ok ? null : checked.error;
}

const folderOption = (name: string, typed: string | undefined): Result<string | undefined> =>
  typed === undefined ? ok(undefined) : pathArgument(name, typed);

/** The host for the folders a person named, relative to where they called from. */
function createHost(options: GlobalOptions): Result<Host> {
  const entered = enterCallerFolder(bundleFiles(bundle).root);
  if (!entered.ok) return entered;
  const home = folderOption('--home', options.home);
  if (!home.ok) return home;
  const project = folderOption('--project', options.project);
  if (!project.ok) return project;
  return createNodeHost(bundle, {
    ...(home.value !== undefined && { home: home.value }),
    ...(project.value !== undefined && { project: project.value }),
  });
}

async function run(work: Work, options: GlobalOptions, refusedWork?: RefusedWork): Promise<void> {
  const terminal = createTerminal(process, options.json ?? false, process);
  const host = createHost(options);
  const app = host.ok ? compose(host.value) : host;
  if (!app.ok) {
    process.exitCode = (refusedWork ?? ((error) => fail(terminal, error)))(app.error, terminal);
    return;
  }
  // A database is opened with the first that needs it: what is found then is told then.
  const tell = ({ title, detail, hint }: Notice): void =>
    terminal.log([`${title}: ${detail}`, ...(hint === undefined ? [] : [hint])].join(' '));
  for (const notice of app.value.notices.all()) tell(notice);
  app.value.notices.subscribe(tell);
  const refused = refusedProject(app.value, options);
  if (refused) {
    fail(terminal, refused);
    process.exitCode = 2;
  } else {
    process.exitCode = await work(app.value, terminal);
  }
  terminal.close();
  await app.value.close();
}

/** Wrong usage in words on standard error; with `--json` as a document, too. */
function endUsage(error: CommanderError): void {
  process.exitCode = error.exitCode === 0 ? 0 : 2;
  if (error.exitCode === 0 || !argv.includes('--json')) return;
  const said =
    error.code === 'commander.help' ? 'A command is missing.' : error.message.replace(/^error: /, '');
  const document = appError('HOST', 'INVALID_INPUT', said, { hint: 'patina --help lists the commands.' });
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

const program = createProgram(
  packageVersion(bundleFiles(bundle).root),
  run,
  (text) => void process.stderr.write(text),
);
try {
  await program.parseAsync([...argv], { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  endUsage(error);
}
