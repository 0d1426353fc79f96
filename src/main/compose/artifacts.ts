import { artifactFolderOf, createArtifactFolder } from '../adapters/artifacts/artifact-folder';
import type { CoreDeps } from './core-deps';
import type { ArtifactShelf } from '../../core/ports/sandbox';

/** The artifacts of a project folder. */
export const artifactsOf =
  ({ host }: Pick<CoreDeps, 'host'>) =>
  (project: string): ArtifactShelf =>
    createArtifactFolder(artifactFolderOf(project, host.env));
