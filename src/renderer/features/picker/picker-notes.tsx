import { CircleAlert, History, LoaderCircle, RefreshCw, SearchX } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { richText, text } from '../../locales/text';
import { Button } from '../../ui/button';
import { EntityName } from '../../ui/entity-name';
import { formatDate } from '../../ui/format';
import { shortText } from '../../ui/short-text';
import type { Pages } from './use-pages';
import { useClock } from '../../ui/use-clock';

interface BandProps {
  readonly icon: LucideIcon;
  readonly action: string;
  readonly onAction: () => void;
  readonly children: ReactNode;
}

/** A note about the source, above its items. */
function Band({ icon: Icon, action, onAction, children }: BandProps) {
  return (
    <div className="flex items-center gap-2 border-b border-line bg-copper-soft py-1.5 ps-4 pe-2 text-sm">
      <Icon aria-hidden size={14} className="shrink-0 text-copper-text" />
      <p className="min-w-0 flex-1 wrap-anywhere">{children}</p>
      <Button className="h-7 px-2" onClick={onAction}>
        <RefreshCw aria-hidden size={13} />
        {action}
      </Button>
    </div>
  );
}

/** The problem of a list, in words on which the user can act; null if there is none. */
function problemOf({ error, status, missing, total, text: search }: Pages): string | null {
  if (error) return text('picker.notLoaded', { reason: shortText(error.message, 300) });
  if (status?.state === 'failed') return text('picker.notRead', { reason: shortText(status.reason, 300) });
  const empty = status?.state === 'ready' && total === 0 && search === '';
  return empty && missing !== undefined ? shortText(missing, 600) : null;
}

/** Why the items may be incomplete or outdated, with a button to reload them. */
export function SourceBand({ pages }: { readonly pages: Pages }) {
  useClock();
  const { status, missing } = pages;
  const problem = problemOf(pages);
  if (problem !== null) {
    return (
      <Band icon={CircleAlert} action={text('picker.retry')} onAction={() => pages.reload(true)}>
        {problem}
      </Band>
    );
  }
  if (status?.state === 'stale') {
    return (
      <Band icon={History} action={text('picker.refresh')} onAction={() => pages.reload(true)}>
        {status.refreshedAt === undefined
          ? text('picker.stale')
          : text('picker.staleSince', { date: formatDate(status.refreshedAt) })}
      </Band>
    );
  }
  if (missing === undefined || status?.state === 'loading') return null;
  return (
    <p role="note" className="border-b border-line px-4 py-1.5 text-xs text-muted wrap-anywhere">
      {missing}
    </p>
  );
}

function Empty({ icon: Icon, children }: { readonly icon: LucideIcon; readonly children: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center text-sm text-muted">
      <Icon aria-hidden size={18} strokeWidth={1.5} />
      <p className="max-w-80 wrap-anywhere">{children}</p>
    </div>
  );
}

/** The message in place of an empty list. */
export function NoItems({ pages, noun }: { readonly pages: Pages; readonly noun: string }) {
  if (pages.error || pages.status?.state === 'failed') return null;
  if (pages.total === null || pages.status?.state === 'loading') {
    return (
      <div className="flex items-center justify-center gap-2 px-6 py-10 text-sm text-muted">
        <LoaderCircle aria-hidden className="size-4 animate-spin" />
        {text('picker.reading', { nouns: noun })}
      </div>
    );
  }
  if (pages.text.trim() === '') return <Empty icon={SearchX}>{text('picker.none', { nouns: noun })}</Empty>;
  return (
    <Empty icon={SearchX}>
      {richText('picker.noMatch', { search: <EntityName text={pages.text.trim()} /> })}
    </Empty>
  );
}
