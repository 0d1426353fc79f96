import type { Attachment } from '#shared/attachment';
import type { Artifact } from '#shared/execution';
import type { CallRecord } from '#shared/session-event';
import type { NodeState } from '#shared/session-state';
import { text } from '../locales/text';

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

/** Whether an artifact of this type stores its content as base64 text. */
export const isBase64 = (type: string): boolean => type.endsWith(base64Suffix);

/** The bare media type in lower case: `image/png`. */
export const mediaTypeOf = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

/** Whether Patina can render this type. */
export const isDrawn = (type: string): boolean => Object.hasOwn(drawn, mediaTypeOf(type));

/** The file name for saving: the artifact's own name, with an extension if its type implies one. */
export function fileNameOf({ name, type, handle }: Pick<Artifact, 'name' | 'type' | 'handle'>): string {
  const media = mediaTypeOf(type);
  const usual = isBase64(type) ? '.bin' : media.includes('json') ? '.json' : '.txt';
  const base = (name ?? handle.slice(-12)).slice(0, 150);
  return /\.[a-z0-9]{1,8}$/i.test(base) ? base : `${base}${endings[media] ?? usual}`;
}

/** The display name of an attachment: its name, the last segment of its address, or its kind. */
export function attachmentName({ name, uri, type }: Attachment): string {
  const last = uri?.split(/[/\\]/).findLast((part) => part !== '');
  return name || last?.slice(0, 150) || text(`ui.media.${type}`);
}

/** The artifact of an attachment whose content was stored. */
export function artifactOf(attachment: Attachment): Artifact | null {
  const { artifact, mimeType = '', bytes = 0, type, name, uri } = attachment;
  if (artifact === undefined) return null;
  const named = name || uri ? { name: attachmentName(attachment) } : {};
  const media = mimeType === '' ? `${type}/unknown` : mimeType;
  return { type: `${media}${base64Suffix}`, handle: artifact, bytes, ...named };
}

/** The stored attachments of call results. */
export const attachedTo = (calls: readonly CallRecord[]): readonly Artifact[] =>
  calls.flatMap(({ attachments = [] }) => attachments.flatMap((one) => artifactOf(one) ?? []));

/** All artifacts of a step: those it wrote and those its tool results contained, without duplicates. */
export function artifactsOf({ artifacts = [], calls }: NodeState): readonly Artifact[] {
  const byHandle = new Map(
    [...attachedTo(calls), ...artifacts].map((artifact) => [artifact.handle, artifact]),
  );
  return [...byHandle.values()];
}
