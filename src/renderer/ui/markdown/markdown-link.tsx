import { ImageOff, LoaderCircle } from 'lucide-react';
import { useState, type MouseEvent, type ReactNode } from 'react';
import type { ArtifactImage } from '#shared/ipc-artifacts';
import type { Result } from '#shared/result';
import { text } from '../../locales/text';
import { useMarkdownActions, usePictures } from './markdown-context';
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

function LoadedImage({ alt, link, image }: { alt: string; link: SafeLink; image: ArtifactImage }) {
  return (
    <span className="my-1 inline-flex max-w-full flex-col align-top">
      <img
        src={image.dataUrl}
        width={image.width}
        height={image.height}
        alt={alt === '' ? text('ui.markdown.image') : alt}
        className="h-auto max-h-96 w-auto max-w-full rounded-md border border-line bg-code object-contain"
      />
      <span className="mt-0.5 truncate text-xs text-muted">
        {text('ui.markdown.from', { host: link.host })}
      </span>
    </span>
  );
}

/** A chip that loads its image when the user asks for it, after they saw the host. */
function LoadableImage({ alt, link }: { alt: string; link: SafeLink }) {
  const pictures = usePictures();
  const [state, setState] = useState<'waiting' | 'loading' | Result<ArtifactImage>>('waiting');
  if (typeof state === 'object' && state.ok) return <LoadedImage alt={alt} link={link} image={state.value} />;
  if (!pictures) return <OpenableImage alt={alt} link={link} />;
  const load = () => {
    setState('loading');
    void pictures.loadPicture(link.url).then(setState);
  };
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-1">
      <OpenableImage alt={alt} link={link} />
      <button
        type="button"
        disabled={state === 'loading'}
        className="inline-flex items-center gap-1 rounded-md px-1.5 text-sm text-accent-text hover:bg-hover disabled:text-muted"
        onClick={load}
      >
        {state === 'loading' && <LoaderCircle aria-hidden className="size-3.5 motion-safe:animate-spin" />}
        {text(state === 'loading' ? 'ui.markdown.loading' : 'ui.markdown.loadFrom', { host: link.host })}
      </button>
      {typeof state === 'object' && (
        <span role="status" className="text-sm text-muted">
          {state.error.message} {state.error.hint}
        </span>
      )}
    </span>
  );
}

/**
 * Images load only when the user asks for one: a request reveals the reader to the server. The chip shows the alt
 * text and the address.
 */
export function ImageChip({ href, alt }: { href: string; alt: string }) {
  const link = readLink(href);
  if (link) return <LoadableImage key={link.url} alt={alt} link={link} />;
  return (
    <span className={chipLook} title={text('ui.markdown.notLoaded')}>
      <ChipContent alt={alt} place={text('ui.markdown.notLoaded')} />
    </span>
  );
}
