import type { CommandDeps } from './command-deps';
import type { SettingCommands } from './commands';

type ProviderCommands = Pick<
  SettingCommands,
  'refreshModels' | 'testProvider' | 'saveProvider' | 'removeProvider'
>;

/** Commands about the servers that answer. */
export function createProviderCommands({ bridge, mirror, view }: CommandDeps): ProviderCommands {
  async function refreshModels(): Promise<void> {
    const models = await bridge.invoke('model-list', { refresh: true });
    if (models.ok) mirror.store.setState({ models: models.value });
    else view.fail('The models could not be listed', models.error);
  }
  return {
    refreshModels,
    testProvider: (input) => bridge.invoke('provider-test', input),
    saveProvider: async (input) => {
      const saved = await bridge.invoke('provider-save', input);
      if (saved.ok) await refreshModels();
      return saved;
    },
    removeProvider: async (id) => {
      const removed = await bridge.invoke('provider-remove', { id });
      if (removed.ok) await refreshModels();
      else view.fail('The provider was not removed', removed.error);
    },
  };
}
