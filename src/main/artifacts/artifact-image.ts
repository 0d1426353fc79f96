import { appError, type AppError } from '#shared/app-error';
import type { ArtifactImage } from '#shared/ipc-artifacts';
import { err, ok, type Result } from '#shared/result';
import type { ArtifactStore } from '../../core/ports/sandbox';
import { checkImage } from '../../core/workspace/image-type';

/** Base64 characters of an image that is still drawn: about nine million bytes. */
const maxDrawnPixels = 12_000_000;

const notDrawn = (message: string): AppError =>
  appError('HOST', 'INVALID_INPUT', message, { hint: 'Save it to look at it elsewhere.' });

/** What a base64 text stands for; null for a text that is none. */
export function decoded(text: string): Uint8Array | null {
  const body = text.replaceAll(/\s/g, '');
  if (body === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return null;
  return new Uint8Array(Buffer.from(body, 'base64'));
}

/**
 * An image kept as base64 text, checked to be what its type says and of a size that can be drawn: its header is read, nothing
 * is unpacked. SVG is text that can refer to other things, and is not drawn. HOST/NOT_FOUND, HOST/STORAGE, HOST/INVALID_INPUT.
 */
export function artifactImage(
  store: Pick<ArtifactStore, 'get'>,
  handle: string,
  mimeType: string,
): Result<ArtifactImage> {
  const kept = store.get(handle);
  if (!kept.ok) return kept;
  if (kept.value.length > maxDrawnPixels) return err(notDrawn('This image is too large to be drawn here.'));
  const bytes = decoded(kept.value);
  const [, kind = ''] = /^image\/([a-z]+)$/.exec(mimeType.trim().toLowerCase()) ?? [];
  const image = bytes && checkImage(`image.${kind}`, bytes);
  if (!image) return err(notDrawn('This is no image that can be drawn here.'));
  if ('rule' in image) return err(notDrawn(`This image is not drawn. ${image.reason}`));
  const { mediaType, width, height } = image;
  const dataUrl = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  return ok({ dataUrl, width, height });
}
