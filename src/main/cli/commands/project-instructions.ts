import { appError, problemLine } from '#shared/app-error';
import type { InstructionFilesView } from '#shared/instruction-files';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

type ProjectApp = Pick<App, 'instructionFiles' | 'project'>;

const noFolder = appError('HOST', 'INVALID_INPUT', 'No project folder is open.', {
  hint: 'Name one with --project <dir>.',
});

const nothing = appError('HOST', 'NOT_FOUND', 'This project has no instructions that can be adopted.', {
  hint: 'Run patina instructions find to see which files were read.',
});

const words = { new: 'not adopted', adopted: 'adopted', changed: 'changed', removed: 'removed' } as const;
const signs = { same: ' ', added: '+', removed: '-' } as const;

function describe({ files, problems, changes, dropped }: InstructionFilesView): string {
  const rows = files.map(
    ({ path, tokens, status }) => `${words[status].padEnd(12)} ${path}, ${tokens} tokens`,
  );
  const findings = problems.map((found) => `cannot be   ${problemLine(found)}`);
  const lines = changes
    .filter(({ change }) => change === 'changed')
    .flatMap(({ path, hunks }) => [
      '',
      path,
      ...hunks.flatMap((hunk) => hunk.lines.map(({ kind, text }) => `${signs[kind]} ${text}`)),
    ]);
  const open = changes.length > 0 && files.some(({ status }) => status !== 'removed');
  const next = open && !dropped ? ['', 'Adopt what is here now: patina instructions adopt'] : [];
  if (rows.length + findings.length === 0) return 'This project brings no instructions along.';
  return [...rows, ...findings, ...lines, ...next].join('\n');
}

/** `patina instructions find|adopt|drop`: the instructions that the project brings along. */
export async function projectInstructionsCommand(
  app: ProjectApp,
  terminal: Terminal,
  act: 'find' | 'adopt' | 'drop',
): Promise<ExitCode> {
  const project = app.project();
  if (project === null) return fail(terminal, noFolder);
  const { find, adopt, drop } = app.instructionFiles;
  if (act === 'drop') {
    const dropped = drop(project);
    if (!dropped.ok) return fail(terminal, dropped.error);
  }
  const before = await find(project);
  if (act === 'adopt') {
    if (before.found === null) return fail(terminal, nothing);
    const adopted = await adopt(project, before.found);
    if (!adopted.ok) return fail(terminal, adopted.error);
  }
  const view = act === 'adopt' ? await find(project) : before;
  print(terminal, view, () => describe(view));
  return 0;
}
