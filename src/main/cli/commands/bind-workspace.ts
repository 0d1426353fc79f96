import { appError } from '#shared/app-error';
import { WorkspaceName } from '#shared/workspace';
import { pathArgument } from '../caller-paths';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

export interface BindWish {
  readonly way: 'bind' | 'create';
  readonly name: string;
  /** Absolute, or relative to the caller's folder. */
  readonly folder: string;
}

const badName = appError(
  'HOST',
  'INVALID_INPUT',
  'A workspace name has lower case letters, digits, dots and dashes.',
);

/** `patina workspace bind` and `create`: a folder gets a name it may be synced under. What is bound changes with an apply. */
export function bindCommand(
  { workspace }: Pick<App, 'workspace'>,
  terminal: Terminal,
  { way, name, folder }: BindWish,
): Promise<ExitCode> {
  if (!WorkspaceName.safeParse(name).success) return Promise.resolve(fail(terminal, badName));
  const resolved = pathArgument('The folder', folder);
  if (!resolved.ok) return Promise.resolve(fail(terminal, resolved.error));
  const root = resolved.value;
  const done = way === 'create' ? workspace.create(name, root) : workspace.allow(name, root);
  if (!done.ok) return Promise.resolve(fail(terminal, done.error));
  const next = `patina workspace sync --workspace ${name}`;
  print(terminal, { name, folder: root, next }, () => `"${name}" stands for ${root}. Next: ${next}`);
  return Promise.resolve(0);
}
