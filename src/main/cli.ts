#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createNodeHost } from './adapters/cli/node-host';
import { bundleFiles } from './adapters/system/bundle-files';
import { packageVersion } from './adapters/system/package-version';
import { fail, type Terminal } from './cli/output';
import { createProgram, type GlobalOptions, type Work } from './cli/program';
import { compose } from './compose';

const bundle = import.meta.dirname;

const write = (stream: NodeJS.WriteStream, text: string): void => void stream.write(text);

function terminalFor(options: GlobalOptions): Terminal {
  return {
    out: (text) => write(process.stdout, text),
    log: (text) => write(process.stderr, `${text}\n`),
    json: options.json ?? false,
    interactive: process.stdin.isTTY && process.stderr.isTTY,
  };
}

async function run(work: Work, options: GlobalOptions): Promise<void> {
  const terminal = terminalFor(options);
  const host = createNodeHost(bundle, options);
  const app = host.ok ? compose(host.value) : host;
  if (!app.ok) {
    process.exitCode = fail(terminal, app.error);
    return;
  }
  for (const notice of app.value.notices.all()) terminal.log(`${notice.title}: ${notice.detail}`);
  process.exitCode = await work(app.value, terminal);
  await app.value.close();
}

/** Global options may stand anywhere on the line: commander wants them before the command. */
function globalsFirst(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const line = end === -1 ? argv : argv.slice(0, end);
  const taken = new Set<number>();
  line.forEach((word, index) => {
    if (word === '--json') taken.add(index);
    if (word === '--home' || word === '--project') taken.add(index).add(index + 1);
  });
  return [...argv.filter((_, index) => taken.has(index)), ...argv.filter((_, index) => !taken.has(index))];
}

const program = createProgram(packageVersion(bundleFiles(bundle).root), run);
program.exitOverride();
for (const command of program.commands) command.exitOverride();
try {
  await program.parseAsync(globalsFirst(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
