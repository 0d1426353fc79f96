import { appError } from '#shared/app-error';
import type { ArtifactText } from '#shared/ipc-artifacts';
import { err, type Result } from '#shared/result';
import type { CommandDeps } from './command-deps';

/** What can be asked about the artifacts of the session on the screen; each gives its outcome to whoever asked. */
export interface ArtifactCommands {
  /** The first `lines` lines, or of all lines those that hold `grep`. */
  readonly readArtifact: (handle: string, lines: number, grep: string) => Promise<Result<ArtifactText>>;
  /** Lets the user choose a file for it; null when none was chosen. */
  readonly saveArtifact: (handle: string, name: string) => Promise<Result<string | null>>;
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
    saveArtifact: (handle, name) =>
      within((sessionId) => bridge.invoke('artifact-save', { sessionId, handle, name })),
  };
}
