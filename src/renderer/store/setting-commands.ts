import type { SettingsPatch } from '#shared/settings';
import type { CommandDeps, SettingCommands } from './commands';

/** Commands about the app: settings, models, notices, the clipboard, links. */
export function createSettingCommands({ bridge, mirror, view }: CommandDeps): SettingCommands {
  const { store } = mirror;

  async function changeSettings(patch: SettingsPatch): Promise<void> {
    const before = store.getState().settings;
    const shown = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    store.setState({ settings: { ...before, ...shown } });
    const saved = await bridge.invoke('settings-set', patch);
    if (saved.ok) return store.setState({ settings: saved.value });
    store.setState({ settings: before });
    view.fail('The setting was not saved', saved.error);
  }

  async function setRunMode(mode: 'ask' | 'agent'): Promise<void> {
    const { info, settings } = store.getState();
    if (settings.mode === mode) return;
    if (mode === 'agent' && info && !info.agentMode.enabled) {
      view.toast(info.agentMode.reason ?? 'Agent Mode is switched off.');
      return;
    }
    view.announce(mode === 'agent' ? 'Agent Mode' : 'Ask');
    await changeSettings({ mode });
  }

  async function refreshModels(): Promise<void> {
    const models = await bridge.invoke('model-list', { refresh: true });
    if (models.ok) store.setState({ models: models.value });
    else view.fail('The models could not be listed', models.error);
  }

  return {
    changeSettings,
    setRunMode,
    refreshModels,
    toggleRunMode: () => setRunMode(store.getState().settings.mode === 'ask' ? 'agent' : 'ask'),
    toggleInspector: () => changeSettings({ inspectorOpen: !store.getState().settings.inspectorOpen }),
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
    dismissNotice: async (id) => {
      store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
      await bridge.invoke('notice-dismiss', { id });
    },
    copy: async (text) => {
      const copied = await bridge.invoke('clipboard-write', { text });
      if (copied.ok) view.toast('Copied');
      else view.fail('Nothing was copied', copied.error);
    },
    openLink: async (url) => {
      const opened = await bridge.invoke('link-open', { url });
      if (!opened.ok) view.fail('The link was not opened', opened.error);
    },
  };
}
