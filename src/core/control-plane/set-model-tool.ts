import { appError } from '#shared/app-error';
import type { ModelRef } from '#shared/model';
import { err, ok } from '#shared/result';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { SettingsStore } from '../ports/settings-store';

export const setModelTool = 'set_model';

/** `set_model`: chooses the model that answers the next lines. */
export function createSetModelTool({
  settings,
  modelById,
}: {
  readonly settings: SettingsStore;
  /** The listed model with this id. */
  readonly modelById: (id: string) => ModelRef | undefined;
}): BuiltInTool {
  return {
    name: setModelTool,
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    toolUsageMetadata: 'Chooses the model that answers the next messages.',
    schema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
    execute: (argumentsJson) => {
      const { id } = JSON.parse(argumentsJson) as { readonly id: string };
      const model = modelById(id);
      if (!model) return Promise.resolve(err(appError('HOST', 'NOT_FOUND', `There is no model “${id}”.`)));
      const saved = settings.patch({ model });
      return Promise.resolve(saved.ok ? ok(JSON.stringify({ success: true })) : saved);
    },
  };
}
