import type { WorkspaceContents } from '#shared/workspace-call';
import { Check, PackageOpen } from 'lucide-react';
import { text } from '../../locales/text';
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
            <Check aria-hidden size={13} /> {text('workspace.content.inUse')}
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
      <EmptyNote icon={PackageOpen} title={text('workspace.content.unreadable')}>
        {text('workspace.content.unreadableHint')}
      </EmptyNote>
    );
  }
  const { packs, catalogs, promptPack, toolCatalog } = contents;
  return (
    <div className="flex flex-col gap-5">
      <section className="flex flex-col gap-2">
        <h3 className="text-xs font-medium text-muted">{text('workspace.content.instructions')}</h3>
        {packs.length === 0 ? (
          <p className="text-sm text-muted">{text('workspace.content.noInstructions')}</p>
        ) : (
          <ul
            aria-label={text('workspace.content.instructions')}
            className="divide-y divide-line rounded-lg border border-line"
          >
            {packs.map(({ id, files }) => (
              <Entry
                key={id}
                id={id}
                used={id === promptPack}
                lines={files}
                empty={text('workspace.content.noFiles')}
              />
            ))}
          </ul>
        )}
      </section>
      <section className="flex flex-col gap-2">
        <h3 className="text-xs font-medium text-muted">{text('workspace.content.toolSets')}</h3>
        <ul
          aria-label={text('workspace.content.toolSets')}
          className="divide-y divide-line rounded-lg border border-line"
        >
          {catalogs.map(({ id, tools }) => (
            <Entry
              key={id}
              id={id}
              used={id === toolCatalog}
              lines={tools}
              empty={text('workspace.content.noTools')}
            />
          ))}
        </ul>
      </section>
    </div>
  );
}
