import type { Artifact } from '#shared/execution';
import { Box } from 'lucide-react';
import { CopyButton } from '../../ui/code-block';
import { formatBytes } from '../../ui/format';

/** Values kept outside the conversation: name, kind, size, and the handle to refer to them by. */
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
        <li key={`${artifact.handle}-${index}`} className="flex items-center gap-2.5 py-1.5 ps-3 pe-1.5">
          <Box aria-hidden="true" className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
          <div className="readable min-w-0 grow">
            <p className="numbers truncate text-sm">
              {artifact.name ?? artifact.type}
              <span className="text-muted">
                {' '}
                · {artifact.type} · {formatBytes(artifact.bytes)}
              </span>
            </p>
            <p className="truncate font-mono text-2xs text-muted" title={artifact.handle}>
              {artifact.handle}
            </p>
          </div>
          <CopyButton text={artifact.handle} what="handle" onCopy={onCopy} />
        </li>
      ))}
    </ul>
  );
}
