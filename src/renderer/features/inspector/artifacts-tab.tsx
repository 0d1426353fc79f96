import { Box } from 'lucide-react';
import type { RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { formatBytes } from '../../ui/format';
import { artifactsOf } from '../../ui/media-kind';
import { titleOf } from '../run-parts/run-facts';
import { ArtifactRows } from './artifact-rows';
import { EmptyState } from './empty-state';

export interface ArtifactsTabProps {
  readonly run: RunState | undefined;
  readonly onCopy: (text: string) => void;
}

/** The artifacts of a run, by the node that created them. */
export function ArtifactsTab({ run, onCopy }: ArtifactsTabProps) {
  const makers = (run?.nodes ?? []).flatMap((node) => {
    const artifacts = artifactsOf(node);
    return artifacts.length === 0 ? [] : [{ id: node.id, artifacts }];
  });
  if (!run || makers.length === 0) {
    return (
      <EmptyState icon={Box} title={text('inspector.artifacts.none')}>
        {text('inspector.artifacts.empty')}
      </EmptyState>
    );
  }
  const all = makers.flatMap(({ artifacts }) => artifacts);
  const bytes = all.reduce((sum, artifact) => sum + artifact.bytes, 0);
  return (
    <div className="px-4 pt-3 pb-8">
      <p className="numbers text-sm text-muted">
        {text('inspector.artifacts.count', { count: all.length })} · {formatBytes(bytes)}
      </p>
      {makers.map(({ id, artifacts }) => (
        <section key={id} className="mt-4">
          <h3 dir="auto" className="mb-1.5 text-xs font-medium text-muted">
            {titleOf(run, id)}
          </h3>
          <ArtifactRows artifacts={artifacts} onCopy={onCopy} />
        </section>
      ))}
    </div>
  );
}
