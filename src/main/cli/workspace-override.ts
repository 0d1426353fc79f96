import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { WorkspaceOverride } from '#shared/workspace';
import type { App } from '../app';

/** Options of one line that override its session's workspace. */
export interface OverrideOptions {
  readonly pack?: string;
  readonly catalog?: string;
  readonly snapshot?: string;
}

/**
 * Converts the options to an override; undefined without options. A snapshot may be named by a prefix of its
 * hash.
 */
export function overrideFrom(
  app: Pick<App, 'workspace'>,
  { pack, catalog, snapshot }: OverrideOptions,
): Result<WorkspaceOverride | undefined> {
  const resolved = snapshot === undefined ? ok(undefined) : app.workspace.resolve(snapshot);
  if (!resolved.ok) return resolved;
  const parts = {
    ...(pack !== undefined && { promptPack: pack }),
    ...(catalog !== undefined && { toolCatalog: catalog }),
    ...(resolved.value !== undefined && { snapshot: resolved.value }),
  };
  if (Object.keys(parts).length === 0) return ok(undefined);
  const override = WorkspaceOverride.safeParse(parts);
  if (override.success) return ok(override.data);
  const [issue] = override.error.issues;
  return err(
    appError(
      'HOST',
      'INVALID_INPUT',
      `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not a valid name'}.`,
    ),
  );
}
