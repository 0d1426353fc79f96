import type { IpcHandlers } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import { imageType } from '../../core/workspace/image-type';
import type { App } from '../app';

/** The window's requests about what the user attaches to a line. */
export function createItemHandlers(
  app: Pick<App, 'attach' | 'attachOptions' | 'log' | 'project' | 'readItem'>,
) {
  const stateOf = (sessionId: string | undefined): Result<SessionState | null> =>
    sessionId === undefined ? ok(null) : app.log.peek(sessionId);
  return {
    'item-attach': async ({ sessionId, source, confirmed }) => {
      const state = stateOf(sessionId);
      if (!state.ok) return state;
      const base = state.value ? state.value.project : app.project();
      return app.attach({ source, base, ...(confirmed && { confirmed }) });
    },
    'item-options': async ({ sessionId, text }) => {
      const state = stateOf(sessionId);
      return state.ok ? ok(await app.attachOptions(state.value, text)) : state;
    },
    'item-read': ({ hash }) => {
      const content = app.readItem(hash);
      if (!content.ok) return content;
      const bytes = Buffer.from(content.value);
      const image = imageType(bytes);
      return image && 'mediaType' in image
        ? ok({ type: 'image', dataUrl: `data:${image.mediaType};base64,${bytes.toString('base64')}` })
        : ok({ type: 'text', text: bytes.toString('utf8') });
    },
  } satisfies Partial<IpcHandlers>;
}
