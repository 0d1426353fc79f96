import type { SnapshotDiff } from '#shared/workspace-call';
import { Minus, PencilLine, Plus, type LucideIcon } from 'lucide-react';
import { text } from '../../locales/text';
import { DiffHunks } from '../../ui/diff-hunks';
import { initiallyOpen, LazyDetails } from '../../ui/lazy-details';

type CatalogDiff = SnapshotDiff['catalogs'][number];

const kinds = [
  { kind: 'added', icon: Plus, ink: 'text-accent-text' },
  { kind: 'removed', icon: Minus, ink: 'text-danger-text' },
  { kind: 'changed', icon: PencilLine, ink: 'text-copper-text' },
] as const;

interface ToolRowProps {
  readonly tool: string;
  readonly kind: (typeof kinds)[number]['kind'];
  readonly icon: LucideIcon;
  readonly ink: string;
  readonly hunks: CatalogDiff['descriptors'][number]['hunks'];
  readonly open: boolean;
}

function ToolName({ tool, kind, icon: Icon, ink }: Omit<ToolRowProps, 'hunks' | 'open'>) {
  return (
    <>
      <Icon aria-hidden size={14} className={`mt-0.5 shrink-0 ${ink}`} />
      <span className="readable min-w-0 flex-1 font-mono text-xs wrap-anywhere">{tool}</span>
      <span className="shrink-0 text-xs text-muted">{text(`workspace.change.${kind}`)}</span>
    </>
  );
}

/** A tool, with the changes of its description and schema on demand. */
function ToolRow({ hunks, open, ...named }: ToolRowProps) {
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
      <LazyDetails
        open={open}
        summaryClassName={`${row} hover:bg-hover focus-visible:-outline-offset-2`}
        summary={<ToolName {...named} />}
      >
        {() => (
          <div className="border-t border-line">
            <DiffHunks hunks={hunks} />
          </div>
        )}
      </LazyDetails>
    </li>
  );
}

function CatalogChanges({ catalog }: { readonly catalog: CatalogDiff }) {
  const described = new Map(catalog.descriptors.map(({ tool, hunks }) => [tool, hunks]));
  const hunksOf = (tool: string) => described.get(tool) ?? [];
  const opened = new Set(
    catalog.changed.slice(0, initiallyOpen(catalog.changed.map((tool) => ({ hunks: hunksOf(tool) })))),
  );
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <p className="border-b border-line bg-surface px-3 py-1.5 text-sm">
        {text('workspace.changes.toolSet', { id: catalog.id })}
      </p>
      <ul aria-label={text('workspace.changes.toolsOf', { id: catalog.id })} className="divide-y divide-line">
        {kinds.flatMap(({ kind, icon, ink }) =>
          catalog[kind].map((tool) => (
            <ToolRow
              key={tool}
              tool={tool}
              kind={kind}
              icon={icon}
              ink={ink}
              hunks={hunksOf(tool)}
              open={opened.has(tool)}
            />
          )),
        )}
      </ul>
    </div>
  );
}

/** Tools that a catalog adds, removes or changes; descriptions and schemas line by line. */
export function ToolChanges({ catalogs }: { readonly catalogs: SnapshotDiff['catalogs'] }) {
  if (catalogs.length === 0) return null;
  return (
    <section aria-label={text('workspace.changes.tools')} className="flex flex-col gap-2">
      <h3 className="text-xs font-medium text-muted">{text('workspace.changes.tools')}</h3>
      {catalogs.map((catalog) => (
        <CatalogChanges key={catalog.id} catalog={catalog} />
      ))}
    </section>
  );
}
