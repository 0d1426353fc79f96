import type { DdrList, DdrSummary } from '#shared/ddr';
import type { Result } from '#shared/result';
import { text } from '../../locales/text';
import { EntityName } from '../../ui/entity-name';
import { ErrorCard } from '../../ui/error-card';
import { useRowStop, type RowProps } from '../../ui/list-rows';
import { SnippetText } from '../../ui/snippet-text';
import { UnreadFiles } from '../run-parts/unread-files';
import { DdrStatusIcon } from './ddr-status';
import type { Hits } from './use-ddrs';

const row =
  'flex w-full flex-col gap-0.5 rounded-md px-2.5 py-2 text-start text-sm hover:bg-hover aria-current:bg-active';

function DdrRow({
  ddr,
  chosen,
  stop,
  onOpen,
}: {
  readonly ddr: DdrSummary;
  readonly chosen: boolean;
  readonly stop: RowProps;
  readonly onOpen: (id: string) => void;
}) {
  return (
    <li>
      <button
        type="button"
        {...stop}
        aria-current={chosen || undefined}
        className={row}
        onClick={() => onOpen(ddr.id)}
      >
        <span className="flex w-full min-w-0 items-center gap-2">
          <EntityName text={ddr.title} className="flex-1 truncate font-medium" />
          <DdrStatusIcon status={ddr.status} />
        </span>
        <span className="numbers text-xs text-muted">
          <span className="font-mono">{ddr.id}</span>
          {ddr.chapterCount > 0 &&
            ` · ${text('ddrs.chapters', { approved: ddr.approvedChapterCount, count: ddr.chapterCount })}`}
        </span>
      </button>
    </li>
  );
}

export interface ListProps {
  readonly list: Result<DdrList> | null;
  readonly chosen: string | null;
  readonly onOpen: (id: string) => void;
}

export function AllDdrs({ list, chosen, onOpen }: ListProps) {
  const stopAt = useRowStop(list?.ok ? list.value.ddrs.map(({ id }) => id) : [], chosen);
  if (!list) return null;
  if (!list.ok) return <ErrorCard error={list.error} />;
  const { ddrs, problems } = list.value;
  return (
    <>
      {ddrs.length === 0 && (
        <p className="px-2.5 py-6 text-center text-sm text-muted">{text('ddrs.empty')}</p>
      )}
      <ul aria-label={text('ddrs.title')}>
        {ddrs.map((ddr) => (
          <DdrRow key={ddr.id} ddr={ddr} onOpen={onOpen} chosen={ddr.id === chosen} stop={stopAt(ddr.id)} />
        ))}
      </ul>
      <UnreadFiles label={text('ddrs.unread')} problems={problems} />
    </>
  );
}

export interface FoundProps {
  readonly search: string;
  readonly hits: Result<Hits> | null;
  readonly onOpen: (id: string) => void;
}

const hitKey = (at: number): string => `hit ${at}`;

export function FoundDdrs({ search, hits, onOpen }: FoundProps) {
  const stopAt = useRowStop(hits?.ok ? hits.value.hits.map((_hit, at) => hitKey(at)) : [], null);
  if (!hits) return null;
  if (!hits.ok) return <ErrorCard error={hits.error} />;
  const found = hits.value.hits;
  if (found.length === 0) {
    return (
      <p className="px-2.5 py-6 text-center text-sm text-muted">{text('shared.nothingFound', { search })}</p>
    );
  }
  return (
    <ul aria-label={text('ddrs.found')}>
      {found.map((hit, at) => (
        <li key={`${at} ${hit.id}`}>
          <button type="button" {...stopAt(hitKey(at))} className={row} onClick={() => onOpen(hit.id)}>
            <span className="flex w-full min-w-0 gap-2">
              <EntityName text={hit.title} className="flex-1 truncate font-medium" />
              <span className="font-mono text-xs text-muted">{hit.id}</span>
            </span>
            <EntityName text={hit.place} className="truncate text-xs text-muted" />
            <SnippetText text={hit.snippet} />
          </button>
        </li>
      ))}
    </ul>
  );
}
