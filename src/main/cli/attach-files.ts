import { appError } from '#shared/app-error';
import { maxContextItems, type ContextItem } from '#shared/context-item';
import { err, ok, type Result } from '#shared/result';
import type { App } from '../app';
import { pathArgument } from './caller-paths';

interface AttachOptions {
  readonly attach?: readonly string[];
  readonly attachSecrets?: boolean;
}

const tooMany = appError('HOST', 'INVALID_INPUT', `A message takes at most ${maxContextItems} files.`, {
  hint: 'Attach their folder, or let Agent Mode read them.',
});

const secret = (path: string, why: string) =>
  appError('HOST', 'INVALID_INPUT', `${path} was not attached: it looks like a secret. ${why}`, {
    hint: 'To send it to the model anyway, repeat the command with --attach-secrets.',
  });

/** Stores the files that the command line attaches; nothing is sent when one of them cannot be. */
export async function attachFiles(
  { attach }: Pick<App, 'attach'>,
  { attach: paths = [], attachSecrets = false }: AttachOptions,
): Promise<Result<ContextItem[]>> {
  if (paths.length > maxContextItems) return err(tooMany);
  const items: ContextItem[] = [];
  for (const named of paths) {
    const path = pathArgument('--attach', named);
    if (!path.ok) return path;
    const source = { type: 'path' as const, path: path.value };
    const attached = await attach({ source, base: process.cwd(), confirmed: attachSecrets });
    if (!attached.ok) return attached;
    if (attached.value.type === 'looks-secret') return err(secret(named, attached.value.why));
    items.push(attached.value.item);
  }
  return ok(items);
}
