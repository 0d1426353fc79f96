import { appError, type AppError } from '#shared/app-error';
import type { IpcHandlers } from '#shared/ipc';
import type { ArtifactImage } from '#shared/ipc-artifacts';
import type { DiagramAnswer } from '#shared/ipc-pictures';
import { err, ok, type Result } from '#shared/result';
import { imageType } from '../../core/workspace/image-type';
import type { Desktop } from './app-handlers';

const notShown = (reason: string): AppError =>
  appError('HOST', 'INVALID_INPUT', `This picture is not shown. ${reason}`);

/** Data that the window can draw, if the bytes are an image of a known type and a sane size. */
function drawable(bytes: Uint8Array): Result<ArtifactImage> {
  const image = imageType(bytes);
  if (!image) return err(notShown('The answer is not a PNG, JPEG, GIF or WebP image.'));
  if ('rule' in image) return err(notShown(image.reason));
  const { mediaType, width, height } = image;
  return ok({
    dataUrl: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`,
    width,
    height,
  });
}

/** Pictures in a reply: diagrams that are drawn, and addresses that the user chose to load. */
export function createPictureHandlers({
  drawDiagram,
  loadPicture,
}: Pick<Desktop, 'drawDiagram' | 'loadPicture'>) {
  return {
    'diagram-draw': async ({ source, dark }): Promise<Result<DiagramAnswer>> => {
      const reply = await drawDiagram(source, dark);
      if (!('png' in reply)) return ok(reply);
      const picture = drawable(Buffer.from(reply.png, 'base64'));
      return ok(picture.ok ? { drawn: picture.value } : { problem: 'too-large' });
    },
    'picture-load': async ({ url }) => {
      const bytes = await loadPicture(url);
      return bytes.ok ? drawable(bytes.value) : bytes;
    },
  } satisfies Partial<IpcHandlers>;
}
