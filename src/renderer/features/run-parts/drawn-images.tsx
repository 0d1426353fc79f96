import type { Artifact } from '#shared/execution';
import { text } from '../../locales/text';
import { ArtifactImage } from './artifact-image';
import { isBase64, isDrawn } from '../../ui/media-kind';

const shownImages = 6;

/** Thumbnails of the image artifacts, below the conversation text; the inspector lists all artifacts. */
export function DrawnImages({ artifacts }: { readonly artifacts: readonly Artifact[] }) {
  // Two calls can return the same image, which is then one artifact.
  const byHandle = new Map(artifacts.map((artifact) => [artifact.handle, artifact]));
  const images = [...byHandle.values()].filter(({ type }) => isBase64(type) && isDrawn(type));
  if (images.length === 0) return null;
  return (
    <ul aria-label={text('runParts.images.list')} className="mt-3 flex flex-wrap gap-3">
      {images.slice(0, shownImages).map((artifact) => (
        <li key={artifact.handle} className="min-w-0 max-w-full">
          <ArtifactImage artifact={artifact} small />
        </li>
      ))}
      {images.length > shownImages && (
        <li className="self-center text-sm text-muted">
          {text('runParts.images.more', { count: images.length - shownImages })}
        </li>
      )}
    </ul>
  );
}
