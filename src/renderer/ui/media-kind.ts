import type { Attachment } from '#shared/attachment';
import type { Artifact } from '#shared/execution';
import type { CallRecord } from '#shared/session-event';
import type { NodeState } from '#shared/session-state';

const drawn: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
};

const endings: Readonly<Record<string, string>> = {
  ...drawn,
  'image/svg+xml': '.svg',
  'audio/mpeg': '.mp3',
  'audio/wav': '.wav',
  'audio/x-wav': '.wav',
  'audio/ogg': '.ogg',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'application/json': '.json',
};

const base64Suffix = ';base64';

/** Whether an artifact of this type is kept as the base64 text of its content. */
export const isBase64 = (type: string): boolean => type.endsWith(base64Suffix);

/** The media type alone, in small letters: `image/png`. */
export const mediaTypeOf = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

/** Whether Patina draws it. */
export const isDrawn = (type: string): boolean => Object.hasOwn(drawn, mediaTypeOf(type));

/** What a file of it is called: its own name, with an ending where its type says which. */
export function fileNameOf({ name, type, handle }: Pick<Artifact, 'name' | 'type' | 'handle'>): string {
  const media = mediaTypeOf(type);
  const usual = isBase64(type) ? '.bin' : media.includes('json') ? '.json' : '.txt';
  const base = (name ?? handle.slice(-12)).slice(0, 150);
  return /\.[a-z0-9]{1,8}$/i.test(base) ? base : `${base}${endings[media] ?? usual}`;
}

const kinds = { image: 'Image', audio: 'Sound', resource: 'File', link: 'Link' } as const;

/** What people call an attachment: its name, the last part of its address, or what it is. */
export function attachmentName({ name, uri, type }: Attachment): string {
  const last = uri?.split(/[/\\]/).findLast((part) => part !== '');
  return name || last?.slice(0, 150) || kinds[type];
}

/** An attachment whose content was kept, as the artifact it is. */
export function artifactOf(attachment: Attachment): Artifact | null {
  const { artifact, mimeType = '', bytes = 0, type, name, uri } = attachment;
  if (artifact === undefined) return null;
  const named = name || uri ? { name: attachmentName(attachment) } : {};
  const media = mimeType === '' ? `${type}/unknown` : mimeType;
  return { type: `${media}${base64Suffix}`, handle: artifact, bytes, ...named };
}

/** What the results of calls had beside their text, as far as it was kept. */
export const attachedTo = (calls: readonly CallRecord[]): readonly Artifact[] =>
  calls.flatMap(({ attachments = [] }) => attachments.flatMap((one) => artifactOf(one) ?? []));

/** Everything a step left outside the conversation: what it wrote, and what its tools gave beside text; each once. */
export function artifactsOf({ artifacts = [], calls }: NodeState): readonly Artifact[] {
  const byHandle = new Map(
    [...attachedTo(calls), ...artifacts].map((artifact) => [artifact.handle, artifact]),
  );
  return [...byHandle.values()];
}
