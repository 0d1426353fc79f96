import type { IpcHandlers } from '#shared/ipc';
import { ok } from '#shared/result';
import type { App } from '../app';

type ModelCalls = 'model-list' | 'provider-save' | 'provider-remove' | 'provider-test' | 'prompt-preview';

/** Models, providers and what they would be sent. */
export function createModelHandlers(app: App): Pick<IpcHandlers, ModelCalls> {
  const { models, providers } = app;
  return {
    'model-list': async ({ refresh }) => ok(await models.listModels(refresh)),
    'provider-save': (input) => providers.save(input),
    'provider-remove': ({ id }) => providers.remove(id),
    'provider-test': async ({ baseUrl, key, id }) => {
      const found = await models.probe({ baseUrl, ...(key && { key }), ...(id && { id }) });
      return found.ok ? ok({ models: found.value }) : found;
    },
    'prompt-preview': ({ sessionId, runMode }) =>
      app.previewPrompt({ sessionId: sessionId ?? null, runMode }),
  };
}
