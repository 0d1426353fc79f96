import { createContext, use } from 'react';
import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import { text } from '../../locales/text';
import type { ArtifactCommands } from '../../store/artifact-commands';

const nowhere = err(appError('HOST', 'STATE', text('runParts.artifact.unavailable')));

const ArtifactCallsContext = createContext<ArtifactCommands>({
  readArtifact: () => Promise.resolve(nowhere),
  artifactImage: () => Promise.resolve(nowhere),
  saveArtifact: () => Promise.resolve(nowhere),
});

/** Provides the calls to read, render and save artifacts. */
export const ArtifactCalls = ArtifactCallsContext.Provider;

export function useArtifactCalls(): ArtifactCommands {
  return use(ArtifactCallsContext);
}
