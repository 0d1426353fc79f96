import { appError } from '#shared/app-error';
import type { App } from '../../app';
import { pathArgument } from '../caller-paths';
import { fail, print, type ExitCode, type Terminal } from '../output';

/** `patina backup FILE`: saves sessions, settings, workflows, records and packs to one file; keys are not in it. */
export async function backupCommand(
  app: Pick<App, 'backup'>,
  terminal: Terminal,
  file: string,
): Promise<ExitCode> {
  const path = pathArgument('The file', file);
  if (!path.ok) return fail(terminal, path.error);
  const made = await app.backup.make(path.value);
  if (!made.ok) return fail(terminal, made.error);
  print(terminal, { file: path.value }, () => `Saved to ${path.value}. Keys are not in it.`);
  return 0;
}

const notAsked = appError('HOST', 'INVALID_INPUT', 'There is no terminal to ask for confirmation.', {
  hint: 'Use --yes to restore without a question.',
});

const question =
  'Replace everything in Patina with this backup? What is there now is moved to a folder beside it. (y/N) ';

/** `patina restore FILE`: checks a backup and prepares it; the next start of Patina puts it in place. */
export async function restoreCommand(
  app: Pick<App, 'backup'>,
  terminal: Terminal,
  file: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<ExitCode> {
  const path = pathArgument('The file', file);
  if (!path.ok) return fail(terminal, path.error);
  if (!yes && (terminal.json || !terminal.interactive)) {
    fail(terminal, notAsked);
    return 2;
  }
  const wanted = yes || /^y(es)?$/i.test((await terminal.readLine(question))?.trim() ?? '');
  if (wanted) {
    const prepared = await app.backup.prepareRestore(path.value);
    if (!prepared.ok) return fail(terminal, prepared.error);
  }
  const done = 'The backup is checked and ready. The next start of Patina puts it in place.';
  print(terminal, { file: path.value, prepared: wanted }, () => (wanted ? done : 'Nothing was changed.'));
  return 0;
}
