import type { TextHunk } from '#shared/workflow-authoring';
import { text } from '../../locales/text';
import { DiffHunks } from '../../ui/diff-hunks';

/** The difference between two definitions. */
export function Difference({ hunks }: { readonly hunks: readonly TextHunk[] }) {
  if (hunks.length === 0) {
    return (
      <p className="px-3 py-4 text-center text-sm text-muted">{text('workflowAuthoring.change.same')}</p>
    );
  }
  return <DiffHunks hunks={hunks} />;
}
