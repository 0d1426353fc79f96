import type { IpcInput } from '#shared/ipc';
import type { ArtifactImage, ArtifactText } from '#shared/ipc-artifacts';
import { err, type Result } from '#shared/result';
import { noSession, type CommandDeps } from './command-deps';

/** How to save an artifact as a file: the file name, and whether its stored text is base64. */
export type SavedAs = Pick<IpcInput<'artifact-save'>, 'name' | 'base64'>;

/** Commands for the artifacts of the session on the screen; each returns its outcome to the caller. */
export interface ArtifactCommands {
  /** Reads the first `lines` lines; with `grep`, only lines that contain it. */
  readonly readArtifact: (handle: string, lines: number, grep: string) => Promise<Result<ArtifactText>>;
  /** Returns an image from a tool result as data. */
  readonly artifactImage: (handle: string, mimeType: string) => Promise<Result<ArtifactImage>>;
  /** Lets the user choose a target file; returns null when the user chooses none. */
  readonly saveArtifact: (handle: string, as: SavedAs) => Promise<Result<string | null>>;
}

export function createArtifactCommands({ bridge, view }: CommandDeps): ArtifactCommands {
  const within = <T>(ask: (sessionId: string) => Promise<Result<T>>): Promise<Result<T>> => {
    const { sessionId } = view.store.getState();
    return sessionId === null ? Promise.resolve(err(noSession())) : ask(sessionId);
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
