import type { PromptPicture } from '#shared/prompt';
import type { SentImage } from '#shared/prompt-image';
import { ChevronRight, ImageOff } from 'lucide-react';
import { useCallback } from 'react';
import { text } from '../../locales/text';
import type { InspectorProps } from '../../store/turn-actions';
import { formatBytes } from '../../ui/format';
import { useAnswer } from '../../ui/use-answer';

type LoadImage = InspectorProps['loadImage'];
type Shown = SentImage & Partial<Pick<PromptPicture, 'tokens'>>;

interface ImageProps {
  readonly snapshot: string;
  readonly image: Shown;
  readonly loadImage: LoadImage;
}

const fileName = (path: string): string => path.split('/').at(-1) ?? path;

function Facts({
  image: { path, label, mediaType, width, height, bytes, sha256 },
}: {
  readonly image: Shown;
}) {
  const rows = [
    [text('inspector.images.file'), path],
    [text('inspector.images.label'), label],
    [text('inspector.images.type'), mediaType],
    [
      text('inspector.images.size'),
      text('inspector.images.dimensions', { width, height, bytes: formatBytes(bytes) }),
    ],
    ['SHA-256', sha256],
  ] as const;
  return (
    <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="readable numbers wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ImageRow({ snapshot, image, loadImage }: ImageProps) {
  const { path, sha256, mediaType, width, height, tokens } = image;
  const load = useCallback(() => loadImage({ snapshot, path, sha256 }), [loadImage, snapshot, path, sha256]);
  const imageAnswer = useAnswer(load, 0);
  return (
    <details className="group/block border-t border-line first:border-t-0">
      <summary className="flex cursor-default list-none items-center gap-2 px-2.5 py-1.5 text-sm hover:bg-hover focus-visible:-outline-offset-2">
        <ChevronRight
          aria-hidden
          className="size-3.5 shrink-0 text-muted group-open/block:rotate-(--quarter-turn)"
        />
        <span className="flex size-9 shrink-0 items-center justify-center overflow-hidden rounded-md border border-line bg-code">
          {imageAnswer?.ok && (
            <img src={imageAnswer.value.dataUrl} alt="" className="size-full object-contain" />
          )}
          {imageAnswer && !imageAnswer.ok && <ImageOff aria-hidden className="size-4 text-danger-text" />}
        </span>
        <span className="min-w-0 grow">
          <span className="block truncate" title={path}>
            {fileName(path)}
          </span>
          <span className="numbers block truncate text-xs text-muted">
            {mediaType} · {width} × {height} · {formatBytes(image.bytes)} · {sha256.slice(0, 12)}
          </span>
        </span>
        {tokens !== undefined && (
          <span className="numbers shrink-0 text-xs text-muted">
            {text('inspector.images.tokens', { count: tokens })}
          </span>
        )}
      </summary>
      <div className="px-2.5 pb-2.5">
        {imageAnswer?.ok && (
          <img
            src={imageAnswer.value.dataUrl}
            alt={text('inspector.images.alt', { path })}
            className="max-h-80 max-w-full rounded-md border border-line bg-code object-contain"
          />
        )}
        {imageAnswer && !imageAnswer.ok && (
          <p className="text-sm text-danger-text">
            {text('inspector.images.damaged', { reason: imageAnswer.error.message })}
          </p>
        )}
        <Facts image={image} />
      </div>
    </details>
  );
}

export interface ImageRowsProps {
  readonly snapshot: string;
  readonly images: readonly Shown[];
  readonly loadImage: LoadImage;
}

/**
 * The images of the static context, in the order in which they are sent: a thumbnail with details, full size
 * when opened.
 */
export function ImageRows({ snapshot, images, loadImage }: ImageRowsProps) {
  return (
    <div role="group" aria-label={text('inspector.images.list')}>
      {images.map((image) => (
        <ImageRow
          key={`${image.path} ${image.sha256}`}
          snapshot={snapshot}
          image={image}
          loadImage={loadImage}
        />
      ))}
    </div>
  );
}
