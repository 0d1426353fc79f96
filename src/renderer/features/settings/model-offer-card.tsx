import type { AppError } from '#shared/app-error';
import { memoryShare, type ModelOffer } from '#shared/local-model';
import { Download, ExternalLink } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { formatBytes } from '../../ui/format';
import { failed, OutcomeLine } from './outcome-line';

interface FactsProps {
  readonly offer: ModelOffer;
  /** The state of the download: beside its button, where it is in view in the smallest window too. */
  readonly children: ReactNode;
}

function Facts({ offer: { title, licence, page, bytes, from, freeDisk, freeMemory }, children }: FactsProps) {
  const { openLink } = useCommands();
  return (
    <div className="min-w-56 flex-1">
      <p className="font-medium">{title}</p>
      {children}
      <p className="numbers text-muted">
        {text('settings.models.local.offer.facts', { size: formatBytes(bytes), licence, from })}
      </p>
      <p className="numbers text-muted">
        {text('settings.models.local.offer.needs', {
          disk: freeDisk === null ? '?' : formatBytes(freeDisk),
          memory: formatBytes(bytes * memoryShare),
          free: formatBytes(freeMemory),
        })}
      </p>
      <Button tone="quiet" className="-ms-2.5" onClick={() => void openLink(page)}>
        <ExternalLink aria-hidden size={14} /> {text('settings.models.local.offer.page', { title })}
      </Button>
    </div>
  );
}

function Progress({ offer: { title, bytes, received } }: { readonly offer: ModelOffer }) {
  return (
    <div className="my-1.5 flex flex-col gap-1">
      <progress
        aria-label={text('settings.models.local.offer.running', { title })}
        className="h-1.5 w-full appearance-none overflow-hidden rounded-full [&::-webkit-progress-bar]:bg-track [&::-webkit-progress-value]:bg-accent"
        max={bytes}
        value={received}
      />
      <p className="numbers text-xs text-muted">
        {text('settings.models.local.offer.progress', {
          received: formatBytes(received),
          size: formatBytes(bytes),
        })}
      </p>
    </div>
  );
}

/** The model that Patina offers to download: what it is, what it needs, and how far the download is. */
export function ModelOfferCard({ offer }: { readonly offer: ModelOffer }) {
  const commands = useCommands();
  const { title, received, running } = offer;
  const begun = received > 0;
  /** Why the last click started no download; the state of the offer knows only downloads that began. */
  const [refused, setRefused] = useState<AppError | null>(null);
  const error = running ? undefined : (offer.error ?? refused);
  const download = async (): Promise<void> => {
    setRefused(null);
    const ended = await commands.downloadModel();
    setRefused(ended.ok ? null : ended.error);
  };
  return (
    <div
      role="group"
      aria-label={title}
      className="flex flex-wrap items-start gap-3 rounded-lg border border-line px-3.5 py-2.5 text-sm"
    >
      <Facts offer={offer}>
        {(running || begun) && <Progress offer={offer} />}
        {error && <OutcomeLine outcome={failed(error)} />}
      </Facts>
      {running ? (
        <Button onClick={() => void commands.stopModelDownload()}>
          {text('settings.models.local.offer.stop')}
        </Button>
      ) : (
        <Button
          tone="primary"
          aria-label={text(
            begun ? 'settings.models.local.offer.resume' : 'settings.models.local.offer.download',
            { title },
          )}
          onClick={() => void download()}
        >
          <Download aria-hidden size={14} />{' '}
          {text(begun ? 'settings.models.local.offer.goOn' : 'settings.models.local.offer.start')}
        </Button>
      )}
    </div>
  );
}
