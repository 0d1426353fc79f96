import type { Artifact } from '#shared/execution';
import { ArtifactImage } from './artifact-image';
import { isBase64, isDrawn } from '../../ui/media-kind';

const shownImages = 6;

/** The images among artifacts, small, where the conversation goes on; all of them are in the inspector. */
export function DrawnImages({ artifacts }: { readonly artifacts: readonly Artifact[] }) {
  // Two calls may give the same image, and it is one artifact then.
  const byHandle = new Map(artifacts.map((artifact) => [artifact.handle, artifact]));
  const images = [...byHandle.values()].filter(({ type }) => isBase64(type) && isDrawn(type));
  if (images.length === 0) return null;
  return (
    <ul aria-label="Images" className="mt-3 flex flex-wrap gap-3">
      {images.slice(0, shownImages).map((artifact) => (
        <li key={artifact.handle} className="min-w-0 max-w-full">
          <ArtifactImage artifact={artifact} small />
        </li>
      ))}
      {images.length > shownImages && (
        <li className="self-center text-sm text-muted">
          {images.length - shownImages} more in the inspector, under Artifacts.
        </li>
      )}
    </ul>
  );
}
