import type { Attachment } from '#shared/attachment';
import { AudioLines, File, Link, type LucideIcon } from 'lucide-react';
import { text } from '../../locales/text';
import { ArtifactImage } from './artifact-image';
import { formatBytes } from '../../ui/format';
import { artifactOf, attachmentName, isDrawn } from '../../ui/media-kind';
import { SaveButton, useSaved } from './save-artifact';

const icons: Readonly<Record<Attachment['type'], LucideIcon>> = {
  image: File,
  audio: AudioLines,
  resource: File,
  link: Link,
};

interface RowProps {
  readonly icon: LucideIcon;
  readonly name: string;
  readonly facts: string;
  readonly address?: string | undefined;
  readonly children?: React.ReactNode;
}

function Row({ icon: Icon, name, facts, address, children }: RowProps) {
  return (
    <div className="flex items-start gap-2 px-2.5 py-1.5 text-sm">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" strokeWidth={1.75} />
      <div className="min-w-0 grow">
        <p className="wrap-anywhere">
          <span dir="auto">{name}</span>
          {facts !== '' && <span className="numbers text-xs text-muted"> · {facts}</span>}
        </p>
        {address !== undefined && (
          <p className="readable font-mono text-xs text-muted wrap-anywhere">{address}</p>
        )}
      </div>
      {children}
    </div>
  );
}

function AttachedFile({ attachment }: { readonly attachment: Attachment }) {
  const artifact = artifactOf(attachment);
  const { message, save } = useSaved(artifact ?? { type: '', handle: '', bytes: 0 });
  if (!artifact) return null;
  const name = attachmentName(attachment);
  const facts = [attachment.mimeType, formatBytes(artifact.bytes)].filter(Boolean).join(' · ');
  return (
    <>
      {isDrawn(artifact.type) && (
        <div className="px-2.5 pt-2">
          <ArtifactImage artifact={{ ...artifact, name }} small />
        </div>
      )}
      <Row icon={icons[attachment.type]} name={name} facts={facts} address={attachment.uri}>
        <SaveButton name={name} onSave={() => void save()} />
      </Row>
      <p role="status" className="px-2.5 text-xs text-muted wrap-anywhere not-empty:pb-2">
        {message}
      </p>
    </>
  );
}

/** The attachments of a result: images shown, other files to save, links with their full address. */
export function Attachments({ attachments }: { readonly attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null;
  return (
    <ul
      aria-label={text('runParts.attachments')}
      className="mt-1.5 divide-y divide-line overflow-hidden rounded-md border border-line"
    >
      {attachments.map((attachment, at) => (
        <li key={`${at} ${attachment.artifact} ${attachment.uri}`}>
          {attachment.artifact === undefined ? (
            <Row
              icon={icons[attachment.type]}
              name={attachmentName(attachment)}
              facts={attachment.mimeType ?? ''}
              address={attachment.uri}
            />
          ) : (
            <AttachedFile attachment={attachment} />
          )}
        </li>
      ))}
    </ul>
  );
}
