import type { BudgetChange, BudgetSettings } from '#shared/budgets';
import type { IpcInput } from '#shared/ipc';
import type { Result } from '#shared/result';
import type { ImportPreview, ServersView, SignInOffer } from '#shared/servers';
import type { CommandDeps } from './command-deps';

/** Commands for MCP servers and what a project allows; each returns its outcome to the page that called it. */
export interface ServerCommands {
  readonly listServers: (start?: string | true) => Promise<Result<ServersView>>;
  readonly saveServer: (draft: IpcInput<'server-save'>) => Promise<Result<null>>;
  readonly removeServer: (name: string) => Promise<Result<null>>;
  /** Allows every tool of a server in this project. */
  readonly allowServer: (name: string) => Promise<Result<null>>;
  /** What runs of this project may spend. */
  readonly budgetSettings: () => Promise<Result<BudgetSettings>>;
  readonly setBudget: (change: BudgetChange) => Promise<Result<BudgetSettings>>;
  readonly offerSignIn: (name: string) => Promise<Result<SignInOffer>>;
  /** Resolves once the user is back from the browser, or the sign-in has ended otherwise. */
  readonly signIn: (name: string, host: string) => Promise<Result<SignInOffer>>;
  readonly cancelSignIn: (name: string) => Promise<Result<null>>;
  readonly signOut: (name: string) => Promise<Result<null>>;
  readonly switchTool: (uri: string, on: boolean) => Promise<Result<null>>;
  readonly chooseServerFile: () => Promise<Result<ImportPreview | null>>;
  readonly importServers: (input: IpcInput<'server-import'>) => Promise<Result<null>>;
}

export function createServerCommands({ bridge }: CommandDeps): ServerCommands {
  return {
    listServers: (start) => bridge.invoke('server-list', start === undefined ? {} : { start }),
    saveServer: (draft) => bridge.invoke('server-save', draft),
    removeServer: (name) => bridge.invoke('server-remove', { name }),
    allowServer: (name) => bridge.invoke('server-allow', { name }),
    budgetSettings: () => bridge.invoke('budget-settings', undefined),
    setBudget: (change) => bridge.invoke('budget-set', change),
    offerSignIn: (name) => bridge.invoke('server-sign-in-offer', { name }),
    signIn: (name, host) => bridge.invoke('server-sign-in', { name, host }),
    cancelSignIn: (name) => bridge.invoke('server-sign-in-cancel', { name }),
    signOut: (name) => bridge.invoke('server-sign-out', { name }),
    switchTool: (uri, on) => bridge.invoke('server-tool-switch', { uri, on }),
    chooseServerFile: () => bridge.invoke('server-import-choose', undefined),
    importServers: (input) => bridge.invoke('server-import', input),
  };
}
