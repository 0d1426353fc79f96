import type { Grant } from '#shared/grant';
import type { Result } from '#shared/result';
import type { CommandDeps } from './command-deps';

/** Commands about the user's standing answers. */
export interface GrantCommands {
  readonly listGrants: () => Promise<Result<readonly Grant[]>>;
  readonly revokeGrant: (id: string) => Promise<Result<null>>;
}

export function createGrantCommands({ bridge }: CommandDeps): GrantCommands {
  return {
    listGrants: () => bridge.invoke('grant-list', undefined),
    revokeGrant: (id) => bridge.invoke('grant-revoke', { id }),
  };
}
