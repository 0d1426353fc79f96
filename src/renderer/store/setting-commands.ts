import type { RunMode } from '#shared/run-mode';
import type { SettingsPatch } from '#shared/settings';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import type { SettingCommands } from './commands';
import { runModeInUse } from './run-mode-in-use';

/** Commands for the app: settings, models, notices, clipboard and links. */
export function createSettingCommands(deps: CommandDeps): SettingCommands {
  const { bridge, mirror, view } = deps;
  const { store } = mirror;

  async function changeSettings(patch: SettingsPatch): Promise<void> {
    const before = store.getState().settings;
    const shown = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    store.setState({ settings: { ...before, ...shown } });
    const saved = await bridge.invoke('settings-set', patch);
    if (saved.ok) return store.setState({ settings: saved.value });
    store.setState({ settings: before });
    view.fail(text('store.failed.setting'), saved.error);
  }

  async function setRunMode(mode: RunMode): Promise<void> {
    const { info, settings } = store.getState();
    if (info?.agentMode.enabled === false) {
      // The stored setting is unchanged, so a later start can use it.
      if (mode === 'agent') view.toast(info.agentMode.reason ?? text('shared.agentModeOff'));
      return;
    }
    if (settings.mode === mode) return;
    view.announce(text(mode === 'agent' ? 'shared.agentMode' : 'shared.ask'));
    await changeSettings({ mode });
  }

  return {
    ...createProviderCommands(deps),
    changeSettings,
    setModelOptions: async (key, options) => {
      const { modelOptions } = store.getState().settings;
      await changeSettings({ modelOptions: { ...modelOptions, [key]: options } });
      const models = await bridge.invoke('model-list', { refresh: false });
      if (models.ok) store.setState({ models: models.value });
    },
    setRunMode,
    toggleRunMode: () => setRunMode(runModeInUse(store.getState()) === 'ask' ? 'agent' : 'ask'),
    toggleAskTools: async () => {
      const toolsInAsk = !store.getState().settings.toolsInAsk;
      view.announce(text(toolsInAsk ? 'store.toolsInAsk.on' : 'store.toolsInAsk.off'));
      await changeSettings({ toolsInAsk });
    },
    toggleInspector: () => changeSettings({ inspectorOpen: !store.getState().settings.inspectorOpen }),
    dismissNotice: async (id) => {
      store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
      await bridge.invoke('notice-dismiss', { id });
    },
    copy: async (copiedText) => {
      const copied = await bridge.invoke('clipboard-write', { text: copiedText });
      if (copied.ok) view.toast(text('shared.copied'));
      else view.fail(text('store.failed.copy'), copied.error);
    },
    openLink: async (url) => {
      const opened = await bridge.invoke('link-open', { url });
      if (!opened.ok) view.fail(text('store.failed.openLink'), opened.error);
    },
    helpPages: () => bridge.invoke('help-pages', undefined),
    quit: async () => {
      await bridge.invoke('app-quit', undefined);
    },
    restartWithout: async (packs) => {
      await bridge.invoke('app-restart', { withoutPacks: [...packs] });
    },
  };
}
type ProviderCommands = Pick<
  SettingCommands,
  | 'usageReport'
  | 'refreshModels'
  | 'testProvider'
  | 'saveProvider'
  | 'editProvider'
  | 'providerKnowledge'
  | 'removeProvider'
>;

/** Commands for model providers. */
function createProviderCommands({ bridge, mirror, view }: CommandDeps): ProviderCommands {
  async function refreshModels(): Promise<void> {
    const models = await bridge.invoke('model-list', { refresh: true });
    if (models.ok) mirror.store.setState({ models: models.value });
    else view.fail(text('store.failed.models'), models.error);
  }
  return {
    refreshModels,
    usageReport: async (question) => {
      const read = await bridge.invoke('usage-report', question);
      if (read.ok) return read.value;
      view.fail(text('store.failed.usage'), read.error);
      return null;
    },
    testProvider: (input) => bridge.invoke('provider-test', input),
    saveProvider: async (input) => {
      const saved = await bridge.invoke('provider-save', input);
      if (saved.ok) await refreshModels();
      return saved;
    },
    editProvider: async (input) => {
      const saved = await bridge.invoke('provider-edit', input);
      if (saved.ok) await refreshModels();
      return saved;
    },
    providerKnowledge: async () => {
      const [offers, editable] = await Promise.all([
        bridge.invoke('provider-offers', undefined),
        bridge.invoke('provider-editable', undefined),
      ]);
      return { offers: offers.ok ? offers.value : [], editable: editable.ok ? editable.value : [] };
    },
    removeProvider: async (id) => {
      const removed = await bridge.invoke('provider-remove', { id });
      if (removed.ok) await refreshModels();
      else view.fail(text('store.failed.removeProvider'), removed.error);
    },
  };
}
