import type { Grant } from '#shared/grant';
import type { Result } from '#shared/result';
import type { ToolChange } from '#shared/tool-pin';
import type { CommandDeps } from './command-deps';

/** Commands about the user's standing answers. */
export interface GrantCommands {
  readonly listGrants: () => Promise<Result<readonly Grant[]>>;
  /** How a tool differs from what it is held to; null when it does not. */
  readonly readToolChange: (uri: string) => Promise<Result<ToolChange | null>>;
  /** Accepts the change of a tool that was shown. */
  readonly acceptTool: (uri: string, hash: string) => Promise<Result<null>>;
  /** Leaves a tool blocked with the change that was shown. */
  readonly blockTool: (uri: string, hash: string) => Promise<Result<null>>;
  readonly revokeGrant: (id: string) => Promise<Result<null>>;
}

export function createGrantCommands({ bridge }: CommandDeps): GrantCommands {
  return {
    listGrants: () => bridge.invoke('grant-list', undefined),
    readToolChange: (uri) => bridge.invoke('tool-change', { uri }),
    acceptTool: (uri, hash) => bridge.invoke('tool-accept', { uri, hash }),
    blockTool: (uri, hash) => bridge.invoke('tool-keep-blocked', { uri, hash }),
    revokeGrant: (id) => bridge.invoke('grant-revoke', { id }),
  };
}
