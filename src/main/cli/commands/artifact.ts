import { appError } from '#shared/app-error';
import type { App } from '../../app';
import { readArtifact } from '../../read-artifact';
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

/** `patina artifact list`: the artifacts of the project folder, the newest first. */
export function artifactListCommand(app: App, terminal: Terminal): ExitCode {
  const project = app.project();
  if (project === null) return fail(terminal, noFolder);
  const listed = app.artifacts(project).list();
  if (!listed.ok) return fail(terminal, listed.error);
  const lines = listed.value.map(({ handle, bytes }) => `${handle}  ${bytes} bytes`);
  print(terminal, listed.value, () => lines.join('\n') || 'There are no artifacts in this project folder.');
  return 0;
}

function lineNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.max(1, Math.trunc(Number(text)) || 1);
}

/** `patina artifact show HANDLE`: its text, some lines of it, or those that hold a text, with their numbers. */
export function artifactShowCommand(
  app: App,
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
