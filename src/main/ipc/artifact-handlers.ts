import { appError } from '#shared/app-error';
import type { IpcHandlers } from '#shared/ipc';
import type { artifactCalls } from '#shared/ipc-artifacts';
import { err } from '#shared/result';
import type { App } from '../app';
import { readArtifact } from '../read-artifact';

const noFolder = appError(
  'HOST',
  'STATE',
  'Artifacts belong to a project folder, and this session has none.',
);

/** Values kept outside the conversation, as the window reads them. */
export function createArtifactHandlers({
  log,
  artifacts,
}: Pick<App, 'log' | 'artifacts'>): Pick<IpcHandlers, keyof typeof artifactCalls> {
  return {
    'artifact-read': ({ sessionId, handle, ...slice }) => {
      const session = log.peek(sessionId);
      if (!session.ok) return session;
      const { project } = session.value;
      return project === null ? err(noFolder) : readArtifact(artifacts(project), handle, slice);
    },
  };
}
