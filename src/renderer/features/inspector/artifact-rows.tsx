import type { Artifact } from '#shared/execution';
import { ChevronRight, Save } from 'lucide-react';
import { useId, useState } from 'react';
import { CopyButton } from '../../ui/code-block';
import { classNames } from '../../ui/class-names';
import { formatBytes } from '../../ui/format';
import { useArtifactCalls } from './artifact-calls';
import { ArtifactView } from './artifact-view';

/** The last part of a name, with an ending where its type says which. */
function fileNameOf({ name, type, handle }: Artifact): string {
  const ending = type.includes('json') ? '.json' : '.txt';
  const base = (name ?? handle.slice(-12)).slice(0, 150);
  return /\.[a-z0-9]{1,8}$/i.test(base) ? base : `${base}${ending}`;
}

/** Saves an artifact, and what came of that in words. */
function useSaved(artifact: Artifact) {
  const { saveArtifact } = useArtifactCalls();
  const [said, setSaid] = useState('');
  const save = async () => {
    const saved = await saveArtifact(artifact.handle, fileNameOf(artifact));
    if (!saved.ok) setSaid([saved.error.message, saved.error.hint].filter(Boolean).join(' '));
    else if (saved.value !== null) setSaid(`Saved as ${saved.value}`);
  };
  return { said, save };
}

interface RowProps {
  readonly artifact: Artifact;
  readonly onCopy: (text: string) => void;
}

function ArtifactRow({ artifact, onCopy }: RowProps) {
  const [open, setOpen] = useState(false);
  const { said, save } = useSaved(artifact);
  const id = useId();
  const name = artifact.name ?? artifact.type;
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
            className={classNames('size-3.5 shrink-0 text-muted', open && 'rotate-90')}
          />
          <span className="min-w-0 grow">
            <span className="numbers block truncate text-sm">
              {name}
              <span className="text-muted">
                {' '}
                · {artifact.type} · {formatBytes(artifact.bytes)}
              </span>
            </span>
            <span className="block truncate font-mono text-2xs text-muted" title={artifact.handle}>
              {artifact.handle}
            </span>
          </span>
        </button>
        <CopyButton text={artifact.handle} what="handle" onCopy={onCopy} />
        <button
          type="button"
          aria-label={`Save ${name} as a file`}
          className="flex h-6 items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text"
          onClick={() => void save()}
        >
          <Save aria-hidden className="size-3.5" />
          <span>Save</span>
        </button>
      </div>
      <p role="status" className="px-3 text-xs text-muted wrap-anywhere not-empty:pb-2">
        {said}
      </p>
      <div id={id}>{open && <ArtifactView artifact={artifact} />}</div>
    </li>
  );
}

/** Values kept outside the conversation: name, kind, size, the handle to refer to them by, and what is in them. */
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
