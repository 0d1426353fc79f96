import { artifactFolderOf, createArtifactFolder } from '../adapters/artifacts/artifact-folder';
import type { Foundation } from './foundation';
import type { ArtifactShelf } from '../../core/ports/sandbox';

/** The artifacts of a project folder. */
export const artifactsOf =
  ({ host }: Pick<Foundation, 'host'>) =>
  (project: string): ArtifactShelf =>
    createArtifactFolder(artifactFolderOf(project, host.env));
