import { ImageOff } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { text } from '../../locales/text';
import { useMarkdownActions } from './markdown-context';
import { labelSpoofsHost, readLink, type SafeLink } from '#shared/markdown/links';

/** Requests to open an address; the window itself never follows it, whichever button is pressed. */
function useAsking(link: SafeLink) {
  const { onOpenLink } = useMarkdownActions();
  return (event: MouseEvent) => {
    event.preventDefault();
    if (event.button <= 1) onOpenLink(link.url);
  };
}

const linkLook =
  'rounded-sm text-accent-text underline decoration-accent/40 underline-offset-2 hover:decoration-accent';

function OpenableLink({ link, label, children }: { link: SafeLink; label: string; children: ReactNode }) {
  const ask = useAsking(link);
  return (
    <>
      <a
        href={link.url}
        title={text('ui.markdown.opens', { host: link.host, url: link.url })}
        rel="noreferrer noopener"
        draggable={false}
        className={linkLook}
        onClick={ask}
        onAuxClick={ask}
      >
        {children}
      </a>
      {labelSpoofsHost(label, link) && (
        <span className="ms-1 rounded-sm bg-copper-soft px-1 text-xs text-copper-text">
          {text('ui.markdown.leadsTo', { host: link.host })}
        </span>
      )}
    </>
  );
}

/** A link if the address may be offered, otherwise only its text. `label` is the visible text. */
export function MarkdownLink({
  href,
  label,
  children,
}: {
  href: string;
  label: string;
  children: ReactNode;
}) {
  const { insideLink } = useMarkdownActions();
  const openInside = insideLink?.(href);
  if (openInside)
    return (
      <button type="button" role="link" className={linkLook} onClick={openInside}>
        {children}
      </button>
    );
  const link = readLink(href);
  if (!link) return <span title={href === '' ? undefined : text('ui.markdown.blocked')}>{children}</span>;
  return (
    <OpenableLink link={link} label={label}>
      {children}
    </OpenableLink>
  );
}

const chipLook =
  'inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-1.5 align-middle text-sm text-muted';

function ChipContent({ alt, place }: { alt: string; place: string }) {
  return (
    <>
      <ImageOff aria-hidden="true" className="size-3.5 shrink-0" />
      <span className="truncate text-text">{alt === '' ? text('ui.markdown.image') : alt}</span>
      <span className="truncate">{place}</span>
    </>
  );
}

function OpenableImage({ alt, link }: { alt: string; link: SafeLink }) {
  const ask = useAsking(link);
  return (
    <a
      href={link.url}
      title={text('ui.markdown.imageNotLoaded', { host: link.host, url: link.url })}
      rel="noreferrer noopener"
      draggable={false}
      className={`${chipLook} hover:bg-hover`}
      onClick={ask}
      onAuxClick={ask}
    >
      <ChipContent alt={alt} place={link.host} />
    </a>
  );
}

/**
 * Images are never loaded: a request would reveal the reader to the server. The chip shows the alt text and
 * address.
 */
export function ImageChip({ href, alt }: { href: string; alt: string }) {
  const link = readLink(href);
  if (link) return <OpenableImage alt={alt} link={link} />;
  return (
    <span className={chipLook} title={text('ui.markdown.notLoaded')}>
      <ChipContent alt={alt} place={text('ui.markdown.notLoaded')} />
    </span>
  );
}
