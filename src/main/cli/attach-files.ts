import { appError } from '#shared/app-error';
import {
  maxAttachedFileBytes,
  maxContextItems,
  type AttachSource,
  type ContextItem,
} from '#shared/context-item';
import { err, ok, type Result } from '#shared/result';
import type { App } from '../app';
import { pathArgument } from './caller-paths';
import { readStandardInput, standardInput } from './read-input';

interface AttachOptions {
  readonly attach?: readonly string[];
  readonly attachSecrets?: boolean;
}

const tooMany = appError('HOST', 'INVALID_INPUT', `A message takes at most ${maxContextItems} files.`, {
  hint: 'Attach their folder, or let Agent Mode read them.',
});

const secret = (named: string, why: string) => {
  const what = named === standardInput ? 'Standard input' : named;
  return appError('HOST', 'INVALID_INPUT', `${what} was not attached: it looks like a secret. ${why}`, {
    hint: 'To send it to the model anyway, repeat the command with --attach-secrets.',
  });
};

async function sourceOf(named: string): Promise<Result<AttachSource>> {
  if (named === standardInput) {
    const read = await readStandardInput(maxAttachedFileBytes);
    return read.ok ? ok({ type: 'content', name: 'standard input', bytes: read.value }) : read;
  }
  const path = pathArgument('--attach', named);
  return path.ok ? ok({ type: 'path', path: path.value }) : path;
}

/** Stores the files that the command line attaches; nothing is sent when one of them cannot be. */
export async function attachFiles(
  { attach }: Pick<App, 'attach'>,
  { attach: paths = [], attachSecrets = false }: AttachOptions,
): Promise<Result<ContextItem[]>> {
  if (paths.length > maxContextItems) return err(tooMany);
  const items: ContextItem[] = [];
  for (const named of paths) {
    const source = await sourceOf(named);
    if (!source.ok) return source;
    const attached = await attach({ source: source.value, base: process.cwd(), confirmed: attachSecrets });
    if (!attached.ok) return attached;
    if (attached.value.type === 'looks-secret') return err(secret(named, attached.value.why));
    items.push(attached.value.item);
  }
  return ok(items);
}
