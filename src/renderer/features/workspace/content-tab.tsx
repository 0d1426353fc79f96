import type { WorkspaceContents } from '#shared/workspace-call';
import { Check, PackageOpen } from 'lucide-react';
import { EmptyNote } from './empty-note';

interface EntryProps {
  readonly id: string;
  readonly used: boolean;
  readonly lines: readonly string[];
  readonly empty: string;
}

function Entry({ id, used, lines, empty }: EntryProps) {
  return (
    <li className="px-3 py-2">
      <p className="flex items-center gap-2 text-sm font-medium">
        {id}
        {used && (
          <span className="flex items-center gap-1 text-xs font-normal text-accent-text">
            <Check aria-hidden size={13} /> in use
          </span>
        )}
      </p>
      {lines.length === 0 ? (
        <p className="text-xs text-muted">{empty}</p>
      ) : (
        <ul className="mt-1 flex flex-col gap-0.5">
          {lines.map((line) => (
            <li key={line} className="readable font-mono text-xs text-muted wrap-anywhere">
              {line}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/**
 * The content of the active snapshot: packs with their files in order, catalogs with their tools and
 * patterns.
 */
export function ContentTab({ contents }: { readonly contents: WorkspaceContents | null }) {
  if (!contents) {
    return (
      <EmptyNote icon={PackageOpen} title="The active snapshot cannot be read">
        Go back to another one in the history, or sync again.
      </EmptyNote>
    );
  }
  const { packs, catalogs, promptPack, toolCatalog } = contents;
  return (
    <div className="flex flex-col gap-5">
      <section className="flex flex-col gap-2">
        <h3 className="text-xs font-medium text-muted">Prompt packs</h3>
        {packs.length === 0 ? (
          <p className="text-sm text-muted">There are none: the prompt holds Patina’s own blocks alone.</p>
        ) : (
          <ul aria-label="Prompt packs" className="divide-y divide-line rounded-lg border border-line">
            {packs.map(({ id, files }) => (
              <Entry key={id} id={id} used={id === promptPack} lines={files} empty="It holds no files." />
            ))}
          </ul>
        )}
      </section>
      <section className="flex flex-col gap-2">
        <h3 className="text-xs font-medium text-muted">Tool catalogs</h3>
        <ul aria-label="Tool catalogs" className="divide-y divide-line rounded-lg border border-line">
          {catalogs.map(({ id, tools }) => (
            <Entry key={id} id={id} used={id === toolCatalog} lines={tools} empty="It shows no tools." />
          ))}
        </ul>
      </section>
    </div>
  );
}
