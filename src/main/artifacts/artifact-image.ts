import { appError, type AppError } from '#shared/app-error';
import type { ArtifactImage } from '#shared/ipc-artifacts';
import { err, ok, type Result } from '#shared/result';
import type { ArtifactStore } from '../../core/ports/sandbox';
import { checkImage } from '../../core/workspace/image-type';

/** Maximum length of a drawn image's base64 text, in characters: about nine million bytes. */
const maxDrawnPixels = 12_000_000;

const notDrawn = (message: string): AppError =>
  appError('HOST', 'INVALID_INPUT', message, { hint: 'Save it to open it in another program.' });

/** Decodes base64 text; null when it is not base64. */
export function decoded(text: string): Uint8Array | null {
  const body = text.replaceAll(/\s/g, '');
  if (body === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return null;
  return new Uint8Array(Buffer.from(body, 'base64'));
}

/**
 * Checks that an image stored as base64 text matches its type and is small enough to draw. Reads the header
 * only and unpacks nothing. SVG is text that can refer to other resources, so it is not drawn.
 * HOST/NOT_FOUND, HOST/STORAGE, HOST/INVALID_INPUT.
 */
export function artifactImage(
  store: Pick<ArtifactStore, 'get'>,
  handle: string,
  mimeType: string,
): Result<ArtifactImage> {
  const stored = store.get(handle);
  if (!stored.ok) return stored;
  if (stored.value.length > maxDrawnPixels) return err(notDrawn('This image is too large to show here.'));
  const bytes = decoded(stored.value);
  const [, kind = ''] = /^image\/([a-z]+)$/.exec(mimeType.trim().toLowerCase()) ?? [];
  const image = bytes && checkImage(`image.${kind}`, bytes);
  if (!image) return err(notDrawn('Images of this type cannot be shown here.'));
  if ('rule' in image) return err(notDrawn(`This image is not shown. ${image.reason}`));
  const { mediaType, width, height } = image;
  const dataUrl = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  return ok({ dataUrl, width, height });
}
