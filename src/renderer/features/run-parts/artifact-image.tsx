import type { Artifact } from '#shared/execution';
import { ImageOff } from 'lucide-react';
import { useCallback } from 'react';
import { text } from '../../locales/text';
import { useArtifactCalls } from './artifact-calls';
import { mediaTypeOf } from '../../ui/media-kind';
import { useAnswer } from '../../ui/use-answer';

/** A stored image, rendered from data, or the reason why it cannot be. Reserves its space until it loads. */
export function ArtifactImage({ artifact, small = false }: { artifact: Artifact; small?: boolean }) {
  const { artifactImage } = useArtifactCalls();
  const { handle, type, name } = artifact;
  const load = useCallback(() => artifactImage(handle, mediaTypeOf(type)), [artifactImage, handle, type]);
  const image = useAnswer(load, 0);
  const height = small ? 'max-h-40' : 'max-h-80';
  if (!image) return <div className="h-24 rounded-md border border-line bg-code" />;
  if (!image.ok) {
    return (
      <p className="flex items-start gap-2 rounded-md border border-dashed border-line-strong px-3 py-2 text-sm text-muted">
        <ImageOff aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="wrap-anywhere">
          {image.error.message} {image.error.hint}
        </span>
      </p>
    );
  }
  const { dataUrl, width, height: pixels } = image.value;
  return (
    <figure>
      <img
        src={dataUrl}
        width={width}
        height={pixels}
        alt={name ?? text('runParts.artifact.image')}
        className={`${height} h-auto w-auto max-w-full rounded-md border border-line bg-code object-contain`}
      />
      <figcaption className="numbers mt-1 text-xs text-muted">
        {text('runParts.artifact.size', { width, height: pixels })}
      </figcaption>
    </figure>
  );
}
