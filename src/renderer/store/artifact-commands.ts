import { appError } from '#shared/app-error';
import type { IpcInput } from '#shared/ipc';
import type { ArtifactImage, ArtifactText } from '#shared/ipc-artifacts';
import { err, type Result } from '#shared/result';
import type { CommandDeps } from './command-deps';

/** How an artifact becomes a file: what it is called, and whether it is kept as base64 text. */
export type SavedAs = Pick<IpcInput<'artifact-save'>, 'name' | 'base64'>;

/** What can be asked about the artifacts of the session on the screen; each gives its outcome to whoever asked. */
export interface ArtifactCommands {
  /** The first `lines` lines, or of all lines those that hold `grep`. */
  readonly readArtifact: (handle: string, lines: number, grep: string) => Promise<Result<ArtifactText>>;
  /** An image of a tool's result, as data. */
  readonly artifactImage: (handle: string, mimeType: string) => Promise<Result<ArtifactImage>>;
  /** Lets the user choose a file for it; null when none was chosen. */
  readonly saveArtifact: (handle: string, as: SavedAs) => Promise<Result<string | null>>;
}

const noSession = err(appError('HOST', 'STATE', 'No session is open.'));

export function createArtifactCommands({ bridge, view }: CommandDeps): ArtifactCommands {
  const within = <T>(ask: (sessionId: string) => Promise<Result<T>>): Promise<Result<T>> => {
    const { sessionId } = view.store.getState();
    return sessionId === null ? Promise.resolve(noSession) : ask(sessionId);
  };
  return {
    readArtifact: (handle, lines, grep) =>
      within((sessionId) =>
        bridge.invoke('artifact-read', { sessionId, handle, ...(grep === '' ? { to: lines } : { grep }) }),
      ),
    artifactImage: (handle, mimeType) =>
      within((sessionId) => bridge.invoke('artifact-image', { sessionId, handle, mimeType })),
    saveArtifact: (handle, as) =>
      within((sessionId) => bridge.invoke('artifact-save', { sessionId, handle, ...as })),
  };
}
