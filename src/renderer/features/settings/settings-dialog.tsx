import { settingsSections, type SettingName, type SettingsSection } from '#shared/setting-rows';
import {
  ChartColumn,
  Database,
  Gauge,
  Info,
  Keyboard,
  KeyRound,
  Palette as PaletteIcon,
  Plug,
  ScrollText,
  ShieldCheck,
  ShieldQuestion,
  X,
  type LucideIcon,
} from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { ApprovalsSection } from './approvals-section';
import { DataSection } from './data-section';
import { InstructionsSection } from './instructions-section';
import { LimitsSection } from './limits-section';
import { ModelsSection } from './models-section';
import { AboutSection, SecuritySection } from './security-section';
import { ServersSection } from './servers-section';
import { ShortcutsSection } from './shortcuts-section';
import { SimpleSettings } from './simple-settings';
import { UsageSection } from './usage-section';

interface Section {
  readonly icon: LucideIcon;
  /** What the section has besides its simple settings. */
  readonly body?: () => ReactNode;
  /** Its simple settings stand below the rest. */
  readonly settingsLast?: true;
}

const sections: Readonly<Record<SettingsSection, Section>> = {
  appearance: { icon: PaletteIcon },
  models: { icon: KeyRound, body: ModelsSection, settingsLast: true },
  usage: { icon: ChartColumn, body: UsageSection, settingsLast: true },
  instructions: { icon: ScrollText, body: InstructionsSection },
  servers: { icon: Plug, body: ServersSection },
  approvals: { icon: ShieldQuestion, body: ApprovalsSection },
  limits: { icon: Gauge, body: LimitsSection },
  shortcuts: { icon: Keyboard, body: ShortcutsSection },
  data: { icon: Database, body: DataSection },
  security: { icon: ShieldCheck, body: SecuritySection },
  about: { icon: Info, body: AboutSection },
};

/** Scrolls to a setting and focuses its control: of a choice, the chosen one. */
function showSetting(within: HTMLElement | null, setting: SettingName): void {
  const row = within?.querySelector(`[data-setting="${setting}"]`);
  row?.scrollIntoView({ block: 'center' });
  row?.querySelector<HTMLElement>('input, [role=radio][aria-checked=true]')?.focus({ preventScroll: true });
}

export interface SettingsDialogProps {
  readonly section: SettingsSection;
  /** The setting to show first. */
  readonly setting: SettingName | undefined;
}

export function SettingsDialog({ section, setting }: SettingsDialogProps) {
  const { view } = useApp();
  const panels = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (setting !== undefined) showSetting(panels.current, setting);
  }, [setting]);
  // A section with a form in use stays, so that another one can be looked up meanwhile.
  const [used, setUsed] = useState<ReadonlySet<string>>(new Set());
  const mountUsed = ({ target }: FormEvent) => {
    if (target instanceof HTMLElement && target.closest('form') !== null && !used.has(section))
      setUsed(new Set([...used, section]));
  };
  const close = () => view.set({ dialog: null });
  const show = (id: string) => {
    const next = settingsSections.find((candidate) => candidate === id);
    if (next) view.set({ dialog: { kind: 'settings', section: next } });
  };
  return (
    <Modal
      label={text('settings.title')}
      onClose={close}
      onGuarded={(field) => show(field.closest<HTMLElement>('[data-section]')?.dataset['section'] ?? '')}
      className="my-auto h-[34rem] max-h-[calc(100vh-2rem)] w-[46rem] max-w-[calc(100vw-2rem)]"
    >
      <Tabs.Root
        value={section}
        onValueChange={show}
        orientation="vertical"
        className="flex h-full max-narrow:flex-col"
      >
        <div className="flex shrink-0 flex-col gap-1 overflow-y-auto bg-rail p-2 narrow:w-44">
          <h2 className="px-2 py-1.5 text-sm font-semibold">{text('settings.title')}</h2>
          <Tabs.List
            aria-label={text('settings.sectionList')}
            className="flex gap-px max-narrow:flex-wrap narrow:flex-col"
          >
            {settingsSections.map((id) => {
              const { icon: Icon } = sections[id];
              return (
                <Tabs.Trigger
                  key={id}
                  value={id}
                  className="flex h-8 items-center gap-2 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-text data-[state=active]:bg-active data-[state=active]:text-text"
                >
                  <Icon aria-hidden size={15} strokeWidth={1.75} /> {text(`settings.sections.${id}`)}
                </Tabs.Trigger>
              );
            })}
          </Tabs.List>
        </div>
        <div ref={panels} onInput={mountUsed} className="relative min-h-0 min-w-0 flex-1">
          {settingsSections.map((id) => {
            const { body: Body, settingsLast } = sections[id];
            return (
              <Tabs.Content
                key={id}
                value={id}
                data-section={id}
                {...(used.has(id) && { forceMount: true as const })}
                className="-outline-offset-4 flex h-full flex-col gap-6 overflow-y-auto rounded-lg p-6 data-[state=inactive]:hidden"
              >
                <h3 className="-mb-2 text-lg font-semibold">{text(`settings.sections.${id}`)}</h3>
                {!settingsLast && <SimpleSettings section={id} />}
                {Body && <Body />}
                {settingsLast && <SimpleSettings section={id} />}
              </Tabs.Content>
            );
          })}
        </div>
        <IconButton
          bare
          icon={X}
          label={text('settings.close')}
          onClick={close}
          className="absolute top-2.5 end-2.5"
        />
      </Tabs.Root>
    </Modal>
  );
}
