#!/usr/bin/env node
import { CommanderError } from 'commander';
import { appError, type AppError } from '#shared/app-error';
import { createNodeHost } from './adapters/cli/node-host';
import { finishRestoreAtStart } from './adapters/backup/finish-restore';
import { bundleFiles } from './adapters/system/bundle-files';
import { readHelpPages } from './adapters/system/help-pages';
import { packageVersion } from './adapters/system/package-version';
import { enterCallerFolder, pathArgument } from './cli/caller-paths';
import { createTerminal } from './cli/create-terminal';
import { globalsFirst } from './cli/globals-first';
import { fail, failUsage } from './cli/output';
import { createProgram, type GlobalOptions, type ShowHelp } from './cli/program';
import type { RefusedWork, Work } from './cli/work';
import type { Notice } from '#shared/notice';
import { ok, type Result } from '#shared/result';
import type { App } from './app';
import { compose } from './compose/compose';
import type { ProcessHost } from './adapters/process-host';

const bundle = import.meta.dirname;
const argv = globalsFirst(process.argv.slice(2));

// A closed pipe (`patina session events … | head`) ends the command and is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`HOST/STORAGE: the result could not be written: ${error.message}\n`);
  process.exit(1);
});
// Nobody reads the log; continue without it.
process.stderr.on('error', () => undefined);

/** A folder named by the user is used or refused, never replaced by another one. */
function refusedProject(app: Pick<App, 'checkProject'>, { project }: GlobalOptions): AppError | null {
  const checked = project === undefined ? null : app.checkProject(project);
  return checked === null || checked.ok ? null : checked.error;
}

const folderOption = (name: string, entered: string | undefined): Result<string | undefined> =>
  entered === undefined ? ok(undefined) : pathArgument(name, entered);

interface NamedFolders {
  readonly home?: string;
  readonly project?: string;
}

/** The folders the user named, relative to the caller's folder. */
function namedFolders(options: GlobalOptions): Result<NamedFolders> {
  const home = folderOption('--home', options.home);
  if (!home.ok) return home;
  const project = folderOption('--project', options.project);
  if (!project.ok) return project;
  return ok({
    ...(home.value !== undefined && { home: home.value }),
    ...(project.value !== undefined && { project: project.value }),
  });
}

function createHost(named: NamedFolders): Result<ProcessHost> {
  const host = createNodeHost(bundle, named);
  const restored = host.ok ? finishRestoreAtStart(host.value.home) : host;
  return restored.ok ? host : restored;
}

async function run(work: Work, options: GlobalOptions, refusedWork?: RefusedWork): Promise<void> {
  const terminal = createTerminal(process, options.json ?? false, process);
  const entered = enterCallerFolder(bundleFiles(bundle).root);
  const named = entered.ok ? namedFolders(options) : entered;
  if (entered.ok && !named.ok) {
    process.exitCode = failUsage(terminal, named.error);
    return;
  }
  const host = named.ok ? createHost(named.value) : named;
  const app = host.ok ? compose(host.value) : host;
  if (!app.ok) {
    process.exitCode = (refusedWork ?? ((error) => fail(terminal, error)))(app.error, terminal);
    return;
  }
  // Each database opens on first use, so notices about it appear at that time.
  const print = ({ title, detail, hint }: Notice): void =>
    terminal.log([`${title}: ${detail}`, ...(hint === undefined ? [] : [hint])].join(' '));
  for (const notice of app.value.notices.all()) print(notice);
  app.value.notices.subscribe(print);
  const refused = refusedProject(app.value, options);
  if (refused) {
    process.exitCode = failUsage(terminal, refused);
  } else {
    process.exitCode = await work(app.value, terminal);
    // A scan that started with the command still reports what it finds.
    await app.value.sessionScans.finished();
  }
  terminal.close();
  await app.value.close();
}

const showHelp: ShowHelp = async (request, { json = false }) => {
  const terminal = createTerminal(process, json, process);
  const { helpCommand } = await import('./cli/commands/help');
  const columns = process.stdout.columns || 80;
  process.exitCode = helpCommand(readHelpPages(bundleFiles(bundle).help), { ...request, columns }, terminal);
};

/** Prints a usage error on standard error, and with `--json` also as a document. */
function endUsage(error: CommanderError): void {
  process.exitCode = error.exitCode === 0 ? 0 : 2;
  if (error.exitCode === 0 || !argv.includes('--json')) return;
  const line =
    error.code === 'commander.help' ? 'A command is missing.' : error.message.replace(/^error: /, '');
  const document = appError('HOST', 'INVALID_INPUT', line, { hint: 'patina --help lists the commands.' });
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

const program = createProgram(
  packageVersion(bundleFiles(bundle).root),
  run,
  (text) => void process.stderr.write(text),
  showHelp,
);
try {
  await program.parseAsync([...argv], { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  endUsage(error);
}
