import type { IpcHandlers } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { App } from '../app';
import { sentSteps } from '../../core/session/sent-steps';
import { loadTokenCount } from '../../core/session/token-count';

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** The window's requests about the agent workspace. */
export function createWorkspaceHandlers(
  app: Pick<App, 'log' | 'project' | 'workspace'>,
  chooseFolder: () => Promise<string | null>,
) {
  const { workspace } = app;
  const inFolder = async (work: (folder: string) => Result<null>) => {
    const folder = await chooseFolder();
    if (folder === null) return ok(null);
    const done = work(folder);
    return done.ok ? ok({ folder }) : done;
  };
  return {
    'workspace-call': (call) =>
      workspace.call(
        call.sessionId === undefined ? { ...call, project: call.project ?? app.project() } : call,
      ),
    'workspace-allow': ({ name }) => inFolder((folder) => workspace.allow(name, folder)),
    'workspace-create': ({ name }) => inFolder((folder) => workspace.create(name, folder)),
    'snapshot-image': (wanted) => {
      const image = workspace.image(wanted);
      if (!image.ok) return Promise.resolve(image);
      const { mediaType, bytes } = image.value;
      return Promise.resolve(ok({ dataUrl: `data:${mediaType};base64,${base64(bytes)}` }));
    },
    'turn-steps': async ({ sessionId, turn }) => {
      const events = app.log.events(sessionId);
      return events.ok ? ok(sentSteps(events.value, turn, await loadTokenCount())) : events;
    },
  } satisfies Partial<IpcHandlers>;
}
