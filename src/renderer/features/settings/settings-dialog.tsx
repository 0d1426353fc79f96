import {
  Keyboard,
  KeyRound,
  Palette as PaletteIcon,
  Plug,
  ShieldCheck,
  ShieldQuestion,
  X,
} from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useApp } from '../../store/app-context';
import type { SettingsSection } from '../../store/view-state';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { AppearanceSection } from './appearance-section';
import { ApprovalsSection } from './approvals-section';
import { ModelsSection } from './models-section';
import { SecuritySection } from './security-section';
import { ServersSection } from './servers-section';
import { ShortcutsSection } from './shortcuts-section';

const sections = [
  { id: 'appearance', label: 'Appearance', icon: PaletteIcon, body: AppearanceSection },
  { id: 'models', label: 'Models', icon: KeyRound, body: ModelsSection },
  { id: 'servers', label: 'Servers', icon: Plug, body: ServersSection },
  { id: 'approvals', label: 'Approvals', icon: ShieldQuestion, body: ApprovalsSection },
  { id: 'shortcuts', label: 'Shortcuts', icon: Keyboard, body: ShortcutsSection },
  { id: 'security', label: 'Security', icon: ShieldCheck, body: SecuritySection },
] as const;

export function SettingsDialog({ section }: { readonly section: SettingsSection }) {
  const { view } = useApp();
  const close = () => view.set({ dialog: null });
  const show = (id: string) => {
    const next = sections.find((candidate) => candidate.id === id);
    if (next) view.set({ dialog: { kind: 'settings', section: next.id } });
  };
  return (
    <Modal
      label="Settings"
      onClose={close}
      className="my-auto h-[34rem] max-h-[calc(100vh-2rem)] w-[46rem] max-w-[calc(100vw-2rem)]"
    >
      <Tabs.Root
        value={section}
        onValueChange={show}
        orientation="vertical"
        className="flex h-full max-narrow:flex-col"
      >
        <div className="flex shrink-0 flex-col gap-1 bg-rail p-2 narrow:w-44">
          <h2 className="px-2 py-1.5 text-sm font-semibold">Settings</h2>
          <Tabs.List aria-label="Sections" className="flex gap-px max-narrow:flex-wrap narrow:flex-col">
            {sections.map(({ id, label, icon: Icon }) => (
              <Tabs.Trigger
                key={id}
                value={id}
                className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-text data-[state=active]:bg-active data-[state=active]:text-text"
              >
                <Icon aria-hidden size={15} strokeWidth={1.75} /> {label}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
        </div>
        <div className="relative min-h-0 min-w-0 flex-1 overflow-y-auto">
          {sections.map(({ id, label, body: Body }) => (
            <Tabs.Content
              key={id}
              value={id}
              className="-outline-offset-4 flex flex-col gap-6 rounded-lg p-6"
            >
              <h3 className="-mb-2 text-lg font-semibold">{label}</h3>
              <Body />
            </Tabs.Content>
          ))}
        </div>
        <IconButton
          bare
          icon={X}
          label="Close settings"
          onClick={close}
          className="absolute top-2.5 right-2.5"
        />
      </Tabs.Root>
    </Modal>
  );
}
