import type { App } from '../../app';
import { pathArgument } from '../caller-paths';
import { fail, print, type ExitCode, type Terminal } from '../output';

type LocalApp = Pick<App, 'localModels'>;

const size = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;

/** `patina model list`: the models on this computer. */
export function modelListCommand({ localModels }: LocalApp, terminal: Terminal): ExitCode {
  const { models } = localModels.view();
  print(terminal, models, () =>
    models.length === 0
      ? 'No models on this computer. "patina model download" gets a small one; "patina model import FILE" adds a GGUF file.'
      : models.map(({ name, bytes }) => `${name}  ${size(bytes)}`).join('\n'),
  );
  return 0;
}

/** `patina model import FILE`: copies a GGUF file, complete or not at all. */
export async function modelImportCommand(
  { localModels }: LocalApp,
  terminal: Terminal,
  file: string,
): Promise<ExitCode> {
  const path = pathArgument('The file', file);
  if (!path.ok) return fail(terminal, path.error);
  const added = await localModels.add(path.value);
  if (!added.ok) return fail(terminal, added.error);
  print(terminal, added.value, () => `Imported "${added.value.name}".`);
  return 0;
}

/**
 * `patina model download`: downloads the model that Patina offers; it names the model, its licence and its size
 * before anything is sent.
 */
export async function modelDownloadCommand(
  { localModels }: LocalApp,
  terminal: Terminal,
  { from }: { from?: string },
): Promise<ExitCode> {
  const { offer } = localModels.view();
  if (offer)
    terminal.log(`${offer.title} (${offer.licence}), ${size(offer.bytes)}, from ${from ?? offer.from}`);
  let tenths = 0;
  const end = localModels.onProgress(() => {
    const now = localModels.view().offer;
    const done = now ? Math.floor((now.received / now.bytes) * 10) : 0;
    if (now && done > tenths) terminal.log(`${size(now.received)} of ${size(now.bytes)}`);
    tenths = Math.max(tenths, done);
  });
  const endInterrupt = terminal.onInterrupt(localModels.stopDownload);
  const downloaded = await localModels.download(from);
  endInterrupt();
  end();
  if (!downloaded.ok) return fail(terminal, downloaded.error);
  print(terminal, downloaded.value, () => `Downloaded "${downloaded.value.name}".`);
  return 0;
}

/** `patina model remove NAME`: deletes a model's file. */
export function modelRemoveCommand({ localModels }: LocalApp, terminal: Terminal, name: string): ExitCode {
  const removed = localModels.remove(name);
  if (!removed.ok) return fail(terminal, removed.error);
  print(terminal, { name }, () => `Removed "${name}".`);
  return 0;
}
