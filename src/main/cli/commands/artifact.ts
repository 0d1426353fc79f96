import { appError } from '#shared/app-error';
import type { App } from '../../app';
import { readArtifact } from '../../artifacts/read-artifact';
import { fail, print, type ExitCode, type Terminal } from '../output';

export interface ArtifactShowOptions {
  readonly from?: string;
  readonly to?: string;
  readonly grep?: string;
}

const noFolder = appError(
  'HOST',
  'STATE',
  'Artifacts belong to a project folder; name one with --project DIR.',
);

/** `patina artifact list`: the artifacts of the project folder, newest first. */
export function artifactListCommand(app: Pick<App, 'artifacts' | 'project'>, terminal: Terminal): ExitCode {
  const project = app.project();
  if (project === null) return fail(terminal, noFolder);
  const listed = app.artifacts(project).list();
  if (!listed.ok) return fail(terminal, listed.error);
  const lines = listed.value.map(({ handle, bytes }) => `${handle}  ${bytes} bytes`);
  print(terminal, listed.value, () =>
    lines.length === 0
      ? 'There are no artifacts in this project folder.'
      : [...lines, totalOf(listed.value.map(({ bytes }) => bytes))].join('\n'),
  );
  return 0;
}

/** Artifacts are never deleted automatically, so the total shows when to clean up. */
function totalOf(sizes: readonly number[]): string {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return `${sizes.length} ${sizes.length === 1 ? 'artifact' : 'artifacts'}, ${bytes} bytes in all`;
}

function lineNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.max(1, Math.trunc(Number(text)) || 1);
}

/**
 * `patina artifact show HANDLE`: prints the text, a range of its lines, or the lines that contain a text,
 * with line numbers.
 */
export function artifactShowCommand(
  app: Pick<App, 'artifacts' | 'project'>,
  terminal: Terminal,
  handle: string,
  { from, to, grep }: ArtifactShowOptions,
): ExitCode {
  const project = app.project();
  if (project === null) return fail(terminal, noFolder);
  const slice = { from: lineNumber(from), to: lineNumber(to), grep };
  const read = readArtifact(app.artifacts(project), handle, slice);
  if (!read.ok) return fail(terminal, read.error);
  print(terminal, { handle, ...read.value }, () => read.value.text);
  return 0;
}
