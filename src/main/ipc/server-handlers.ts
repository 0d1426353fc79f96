import { appError } from '#shared/app-error';
import type { IpcHandlers } from '#shared/ipc';
import { err, ok, type Result } from '#shared/result';
import type { ImportPreview } from '#shared/servers';
import type { AgentRuntime, App } from '../app';
import type { ServerSettings } from '../settings/server-settings';

const noProject = appError('HOST', 'STATE', 'Servers and limits belong to a project folder.', {
  hint: 'Choose a project folder first.',
});

/** The window's requests about MCP servers and what a project allows. */
export function createServerHandlers(
  app: Pick<App, 'agentRuntime' | 'project'>,
  chooseFile: () => Promise<string | null>,
  openPage: (url: string) => Promise<void>,
) {
  const here = async <T>(
    act: (settings: ServerSettings, project: string) => Result<T> | Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const project = app.project();
    return project === null ? err(noProject) : act((await app.agentRuntime()).serverSettings, project);
  };
  const policyHere = async <T>(
    act: (policy: AgentRuntime['policy'], project: string) => Result<T>,
  ): Promise<Result<T>> => {
    const project = app.project();
    return project === null ? err(noProject) : act((await app.agentRuntime()).policy, project);
  };
  return {
    'budget-settings': () => policyHere((policy, project) => policy.budgetSettings(project)),
    'budget-set': (change) => policyHere((policy, project) => policy.setBudget(project, change)),
    'server-list': ({ start }) => here((settings, project) => settings.view(project, start)),
    'server-save': (draft) => here((settings, project) => settings.save(project, draft)),
    'server-remove': ({ name }) => here((settings, project) => settings.remove(project, name)),
    'server-allow': ({ name }) => here(async (settings, project) => settings.allow(project, name)),
    'server-tool-switch': ({ uri, on }) => here((settings, project) => settings.switchTool(project, uri, on)),
    'server-sign-in-offer': async ({ name }) => (await app.agentRuntime()).signIn.offer(name),
    'server-sign-in': async ({ name, host }) =>
      (await app.agentRuntime()).signIn.signIn(name, { open: openPage, host }),
    'server-sign-in-cancel': async ({ name }) => {
      (await app.agentRuntime()).signIn.cancel(name);
      return ok(null);
    },
    'server-sign-out': async ({ name }) => (await app.agentRuntime()).signIn.signOut(name),
    'server-import-choose': () =>
      here<ImportPreview | null>(async (settings) => {
        const file = await chooseFile();
        return file === null ? ok(null) : settings.preview(file);
      }),
    'server-import': (request) => here((settings, project) => settings.import(project, request)),
  } satisfies Partial<IpcHandlers>;
}
