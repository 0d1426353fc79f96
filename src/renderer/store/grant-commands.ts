import type { Grant } from '#shared/grant';
import type { Result } from '#shared/result';
import type { ToolChange } from '#shared/tool-pin';
import type { CommandDeps } from './command-deps';

/** Commands for the user's saved permissions. */
export interface GrantCommands {
  readonly listGrants: () => Promise<Result<readonly Grant[]>>;
  /** How a tool differs from its pinned definition; null when it does not. */
  readonly readToolChange: (uri: string) => Promise<Result<ToolChange | null>>;
  /** Accepts the displayed change of a tool. */
  readonly acceptTool: (uri: string, hash: string) => Promise<Result<null>>;
  /** Keeps a tool blocked because of the displayed change. */
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
