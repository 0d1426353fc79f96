import { appError } from '#shared/app-error';
import type { IpcHandlers } from '#shared/ipc';
import { err, ok, type Result } from '#shared/result';
import type { App } from '../app';
import type { LabelledArtifactStore } from '../../core/ports/sandbox';
import { artifactImage, decoded } from '../artifacts/artifact-image';
import { readArtifact } from '../artifacts/read-artifact';
import type { Desktop } from './app-handlers';

const noFolder = appError(
  'HOST',
  'STATE',
  'Artifacts belong to a project folder, and this session has none.',
);

/** Lets the window read values stored outside the conversation. */
export function createArtifactHandlers(
  { log, artifacts }: Pick<App, 'log' | 'artifacts'>,
  saveFile: Desktop['saveFile'],
) {
  const storeOf = (sessionId: string): Result<LabelledArtifactStore> => {
    const session = log.peek(sessionId);
    if (!session.ok) return session;
    const { project } = session.value;
    return project === null ? err(noFolder) : ok(artifacts(project));
  };
  return {
    'artifact-read': ({ sessionId, handle, ...slice }) => {
      const store = storeOf(sessionId);
      return store.ok ? readArtifact(store.value, handle, slice) : store;
    },
    'artifact-image': ({ sessionId, handle, mimeType }) => {
      const store = storeOf(sessionId);
      return store.ok ? artifactImage(store.value, handle, mimeType) : store;
    },
    'artifact-save': async ({ sessionId, handle, name, base64 = false }) => {
      const store = storeOf(sessionId);
      const whole = store.ok ? store.value.get(handle) : store;
      if (!whole.ok) return whole;
      // Text that turns out not to be base64 is saved unchanged.
      return saveFile(name, (base64 ? decoded(whole.value) : null) ?? whole.value);
    },
  } satisfies Partial<IpcHandlers>;
}
