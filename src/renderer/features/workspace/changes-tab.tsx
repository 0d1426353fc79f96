import type { SnapshotDiff, SnapshotFileDiff } from '#shared/workspace-call';
import { GitCompareArrows } from 'lucide-react';
import { useCallback } from 'react';
import { richText, text } from '../../locales/text';
import { Button } from '../../ui/button';
import { ErrorCard } from '../../ui/error-card';
import { FileDifference } from '../../ui/file-difference';
import { initiallyOpen } from '../../ui/lazy-details';
import { useAnswer } from '../../ui/use-answer';
import { EmptyNote } from './empty-note';
import { ToolChanges } from './tool-changes';
import type { Workspace } from './use-workspace';
import { shortHash } from './workspace-labels';

/** Two versions to compare; without it, the active and the staged one. */
export interface Compared {
  readonly from: string;
  readonly to: string;
}

interface GroupProps {
  readonly title: string;
  readonly kind: SnapshotFileDiff['kind'];
  readonly diff: SnapshotDiff;
  readonly open: boolean;
}

function FileGroup({ title, kind, diff, open }: GroupProps) {
  const files = diff.files.filter((file) => file.kind === kind);
  if (files.length === 0) return null;
  const opened = open ? initiallyOpen(files) : 0;
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="numbers text-xs font-medium text-muted">
        {title} · {files.length}
      </h3>
      {files.map((file, at) => (
        <FileDifference key={file.path} file={file} open={at < opened} />
      ))}
    </section>
  );
}

function Diff({ diff }: { readonly diff: SnapshotDiff }) {
  if (diff.files.length + diff.catalogs.length === 0) {
    return (
      <EmptyNote icon={GitCompareArrows} title={text('workspace.changes.same')}>
        {text('workspace.changes.sameHint')}
      </EmptyNote>
    );
  }
  return (
    <div className="flex flex-col gap-5">
      <FileGroup title={text('workspace.changes.prompts')} kind="prompt" diff={diff} open />
      <ToolChanges catalogs={diff.catalogs} />
      <FileGroup title={text('workspace.changes.context')} kind="context" diff={diff} open />
      <FileGroup title={text('workspace.changes.definitions')} kind="definition" diff={diff} open={false} />
    </div>
  );
}

const nameOf = (hash: string | null): string =>
  hash === null ? text('workspace.changes.nothing') : shortHash(hash);

function Sides({
  diff,
  compared,
  onCompare,
}: Pick<ChangesTabProps, 'compared' | 'onCompare'> & { readonly diff: SnapshotDiff }) {
  const code = (hash: string | null) => <code className="font-mono text-xs">{nameOf(hash)}</code>;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <span>
        {richText(compared ? 'workspace.changes.between' : 'workspace.changes.betweenActive', {
          from: code(diff.from),
          to: code(diff.to),
        })}
      </span>
      {compared && (
        <Button tone="quiet" className="h-7" onClick={() => onCompare(null)}>
          {text('workspace.changes.back')}
        </Button>
      )}
    </p>
  );
}

export interface ChangesTabProps {
  readonly workspace: Workspace;
  readonly staged: boolean;
  readonly compared: Compared | null;
  readonly onCompare: (compared: Compared | null) => void;
}

/** The differences between the active and the staged snapshot, or between any two stored ones. */
export function ChangesTab({ workspace, staged, compared, onCompare }: ChangesTabProps) {
  const { ask, time } = workspace;
  const load = useCallback(() => ask({ op: 'diff', ...compared }), [ask, compared]);
  const answer = useAnswer(load, time);
  if (!compared && !staged) {
    return (
      <EmptyNote icon={GitCompareArrows} title={text('workspace.changes.none')}>
        {text('workspace.changes.noneHint')}
      </EmptyNote>
    );
  }
  const diff = answer?.ok ? answer.value.diff : undefined;
  return (
    <div className="flex flex-col gap-4">
      {diff && <Sides diff={diff} compared={compared} onCompare={onCompare} />}
      {answer && !answer.ok && <ErrorCard error={answer.error} />}
      {diff && <Diff diff={diff} />}
    </div>
  );
}
