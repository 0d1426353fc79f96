import type { Artifact } from '#shared/execution';
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { text } from '../../locales/text';
import { ArtifactImage } from '../run-parts/artifact-image';
import { CopyButton } from '../../ui/markdown/code-block';
import { classNames } from '../../ui/class-names';
import { formatBytes } from '../../ui/format';
import { isBase64, isDrawn, mediaTypeOf } from '../../ui/media-kind';
import { SaveButton, useSaved } from '../run-parts/save-artifact';
import { ArtifactView } from './artifact-view';

/**
 * The content of an artifact as far as Patina can show it: text, an image, or only a note that it is a file.
 */
function Content({ artifact }: { readonly artifact: Artifact }) {
  const binary = isBase64(artifact.type);
  if (!binary) return <ArtifactView artifact={artifact} />;
  return (
    <div className="border-t border-line px-3 py-2.5">
      {isDrawn(artifact.type) ? (
        <ArtifactImage artifact={artifact} />
      ) : (
        <p className="text-sm text-muted">{text('inspector.artifacts.otherType')}</p>
      )}
    </div>
  );
}

interface RowProps {
  readonly artifact: Artifact;
  readonly onCopy: (text: string) => void;
}

function ArtifactRow({ artifact, onCopy }: RowProps) {
  const [open, setOpen] = useState(isDrawn(artifact.type) && isBase64(artifact.type));
  const { message, save } = useSaved(artifact);
  const id = useId();
  const type = isBase64(artifact.type) ? mediaTypeOf(artifact.type) : artifact.type;
  const name = artifact.name ?? type;
  const facts = [artifact.name === undefined ? undefined : type, formatBytes(artifact.bytes)];
  return (
    <li>
      <div className="flex items-center gap-1 py-1.5 ps-1.5 pe-1.5">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className="readable flex min-w-0 grow items-center gap-2 rounded-md px-1.5 py-0.5 text-start hover:bg-hover focus-visible:-outline-offset-2"
        >
          <ChevronRight
            aria-hidden
            className={classNames('size-3.5 shrink-0 text-muted', open && 'rotate-(--quarter-turn)')}
          />
          <span className="min-w-0 grow">
            <span className="numbers block truncate text-sm">
              {name}
              <span className="text-muted"> · {facts.filter(Boolean).join(' · ')}</span>
            </span>
            <span className="block truncate font-mono text-2xs text-muted" title={artifact.handle}>
              {artifact.handle}
            </span>
          </span>
        </button>
        <CopyButton text={artifact.handle} what={text('inspector.copy.handle')} onCopy={onCopy} />
        <SaveButton name={name} onSave={() => void save()} />
      </div>
      <p role="status" className="px-3 text-xs text-muted wrap-anywhere not-empty:pb-2">
        {message}
      </p>
      <div id={id}>{open && <Content artifact={artifact} />}</div>
    </li>
  );
}

/** Values stored outside the conversation: name, kind, size, reference handle and content. */
export function ArtifactRows({
  artifacts,
  onCopy,
}: {
  artifacts: readonly Artifact[];
  onCopy: (text: string) => void;
}) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line">
      {artifacts.map((artifact, index) => (
        <ArtifactRow key={`${artifact.handle}-${index}`} artifact={artifact} onCopy={onCopy} />
      ))}
    </ul>
  );
}
