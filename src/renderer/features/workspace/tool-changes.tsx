import type { SnapshotDiff } from '#shared/workspace-call';
import { Minus, PencilLine, Plus, type LucideIcon } from 'lucide-react';
import { DiffHunks } from '../../ui/diff-hunks';

type CatalogDiff = SnapshotDiff['catalogs'][number];

const kinds = [
  { kind: 'added', icon: Plus, ink: 'text-accent-text' },
  { kind: 'removed', icon: Minus, ink: 'text-danger-text' },
  { kind: 'changed', icon: PencilLine, ink: 'text-copper-text' },
] as const;

interface ToolRowProps {
  readonly tool: string;
  readonly kind: string;
  readonly icon: LucideIcon;
  readonly ink: string;
  readonly hunks: CatalogDiff['descriptors'][number]['hunks'];
}

function ToolName({ tool, kind, icon: Icon, ink }: Omit<ToolRowProps, 'hunks'>) {
  return (
    <>
      <Icon aria-hidden size={14} className={`mt-0.5 shrink-0 ${ink}`} />
      <span className="readable min-w-0 flex-1 font-mono text-xs wrap-anywhere">{tool}</span>
      <span className="shrink-0 text-xs text-muted">{kind}</span>
    </>
  );
}

/** A tool, with what its description and schema say otherwise now, on demand. */
function ToolRow({ hunks, ...named }: ToolRowProps) {
  const row = 'flex items-start gap-2 px-3 py-1.5';
  if (hunks.length === 0) {
    return (
      <li className={row}>
        <ToolName {...named} />
      </li>
    );
  }
  return (
    <li>
      <details open={named.kind === 'changed'}>
        <summary className={`${row} hover:bg-hover focus-visible:-outline-offset-2`}>
          <ToolName {...named} />
        </summary>
        <div className="border-t border-line">
          <DiffHunks hunks={hunks} />
        </div>
      </details>
    </li>
  );
}

/** The tools a catalog shows, as they come, go and change; descriptions and schemas by line. */
export function ToolChanges({ catalogs }: { readonly catalogs: SnapshotDiff['catalogs'] }) {
  if (catalogs.length === 0) return null;
  return (
    <section aria-label="Tools" className="flex flex-col gap-2">
      <h3 className="text-xs font-medium text-muted">Tools</h3>
      {catalogs.map((catalog) => (
        <div key={catalog.id} className="overflow-hidden rounded-lg border border-line">
          <p className="border-b border-line bg-surface px-3 py-1.5 text-sm">Catalog {catalog.id}</p>
          <ul aria-label={`Tools of ${catalog.id}`} className="divide-y divide-line">
            {kinds.flatMap(({ kind, icon, ink }) =>
              catalog[kind].map((tool) => (
                <ToolRow
                  key={tool}
                  {...{ tool, kind, icon, ink }}
                  hunks={catalog.descriptors.find((each) => each.tool === tool)?.hunks ?? []}
                />
              )),
            )}
          </ul>
        </div>
      ))}
    </section>
  );
}
