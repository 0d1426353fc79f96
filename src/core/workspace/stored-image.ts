import { appError } from '#shared/app-error';
import type { SentImage } from '#shared/prompt-image';
import { err, ok, type Result } from '#shared/result';
import { bytesHash } from '../tools/canonical-hash';
import { checkImage } from './image-type';
import { isImage } from './references';
import type { Snapshots } from './snapshots';

/** An image of a snapshot; `sha256` is the hash recorded when it was sent. */
export interface ImageReference extends Pick<SentImage, 'path' | 'sha256'> {
  readonly snapshot: string;
}

export interface StoredImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/**
 * The bytes of an image as they were sent. HOST/NOT_FOUND when the snapshot is not stored or has no such
 * image, HOST/STORAGE when the stored data is damaged. Never returns another image instead.
 */
export function readStoredImage(
  snapshots: Pick<Snapshots, 'files'>,
  { snapshot, path, sha256 }: ImageReference,
): Result<StoredImage> {
  const files = snapshots.files(snapshot);
  if (!files.ok) return files;
  const bytes = isImage(path) ? files.value.get(path) : undefined;
  const image = bytes && checkImage(path, bytes);
  const known = image && 'mediaType' in image && bytesHash(bytes) === sha256;
  if (known) return ok({ mediaType: image.mediaType, bytes });
  return err(
    appError(
      'HOST',
      'NOT_FOUND',
      `The version ${snapshot.slice(0, 12)} of the workspace has no image ${path}.`,
    ),
  );
}
