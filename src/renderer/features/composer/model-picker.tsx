import { offlineModel, offlineProviderId, type ModelRef, type ProviderModels } from '#shared/model';
import { Command } from 'cmdk';
import { Check, ChevronDown, CircleAlert, Plug, RefreshCw, WifiOff } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useMemo, useState } from 'react';
import { keysOf } from '../../actions/action-rows';
import { useApp, useMirror, useView } from '../../store/app-context';
import { chooseModel, modelLabel } from '../../store/choose-model';
import { matchModels, modelsShown } from './match-models';
import { menuItem } from '../../ui/menu-style';
import { Tooltip } from '../../ui/tooltip';

const sourceWords: Readonly<Record<ProviderModels['source'], string>> = {
  configured: '',
  environment: 'from the environment',
  discovered: 'found on this machine',
  offline: '',
};

const sameModel = (a: ModelRef, b: ModelRef) => a.providerId === b.providerId && a.model === b.model;

interface ModelListProps {
  readonly text: string;
  readonly current: ModelRef;
  readonly onPick: (model: ModelRef) => void;
}

function ModelList({ text, current, onPick }: ModelListProps) {
  const models = useMirror((mirror) => mirror.models);
  const { groups, hidden } = useMemo(() => matchModels(models, text), [models, text]);
  return (
    <>
      {groups.map(({ provider, matches }) => (
        <Command.Group
          key={provider.providerId}
          heading={[provider.name, sourceWords[provider.source]].filter(Boolean).join(' · ')}
        >
          {provider.problem && (
            <p className="flex gap-2 px-2 py-1.5 text-xs text-copper-text">
              <CircleAlert aria-hidden size={14} className="shrink-0" /> {provider.problem}
            </p>
          )}
          {matches.map((model) => {
            const ref = { providerId: provider.providerId, model };
            return (
              <Command.Item
                key={model}
                value={`${provider.providerId}/${model}`}
                onSelect={() => onPick(ref)}
                className={menuItem}
              >
                <span className="min-w-0 flex-1 truncate">{model}</span>
                {sameModel(ref, current) && (
                  <Check aria-label="chosen" size={14} className="text-accent-text" />
                )}
              </Command.Item>
            );
          })}
        </Command.Group>
      ))}
      {hidden > 0 && (
        <p className="px-2 py-1.5 text-xs text-muted">
          {modelsShown} of {modelsShown + hidden} shown; type to narrow.
        </p>
      )}
    </>
  );
}

function PickerPanel({ current, onDone }: { readonly current: ModelRef; readonly onDone: () => void }) {
  const { commands, view } = useApp();
  const [text, setText] = useState('');
  const pick = (model: ModelRef) => {
    void commands.changeSettings({ model });
    onDone();
  };
  return (
    <Command shouldFilter={false} label="Models" className="flex max-h-96 flex-col">
      <Command.Input
        autoFocus
        value={text}
        onValueChange={setText}
        placeholder="Search models"
        className="h-9 shrink-0 border-b border-line bg-transparent px-3 text-sm outline-none"
      />
      <Command.List className="min-h-0 overflow-y-auto p-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-muted">
        <ModelList text={text} current={current} onPick={pick} />
        <Command.Group heading="Without a model">
          <Command.Item value="offline" onSelect={() => pick(offlineModel)} className={menuItem}>
            <WifiOff aria-hidden size={14} className="text-muted" />
            <span className="flex-1">{modelLabel(offlineModel)}</span>
            {current.providerId === offlineProviderId && (
              <Check aria-label="chosen" size={14} className="text-accent-text" />
            )}
          </Command.Item>
        </Command.Group>
        <div role="separator" className="my-1 h-px bg-line" />
        <Command.Item
          value="connect"
          onSelect={() => {
            onDone();
            view.set({ dialog: { kind: 'settings', section: 'models' } });
          }}
          className={menuItem}
        >
          <Plug aria-hidden size={14} className="text-muted" /> Connect a model…
        </Command.Item>
        <Command.Item value="refresh" onSelect={() => void commands.refreshModels()} className={menuItem}>
          <RefreshCw aria-hidden size={14} className="text-muted" /> Look again
        </Command.Item>
      </Command.List>
    </Command>
  );
}

/** Which model the next line goes to. */
export function ModelPicker() {
  const { view } = useApp();
  const open = useView((state) => state.modelPickerOpen);
  const models = useMirror((mirror) => mirror.models);
  const chosen = useMirror((mirror) => mirror.settings.model);
  const current = chooseModel(chosen, models);
  const setOpen = (modelPickerOpen: boolean) => view.set({ modelPickerOpen });
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Tooltip side="top" text="Model" keys={keysOf('choose-model')}>
        <Popover.Trigger
          aria-label={`Model: ${modelLabel(current)}`}
          className="flex h-7 min-w-0 items-center gap-1.5 rounded-md px-2 text-xs font-medium text-muted transition-colors hover:bg-hover hover:text-text data-[state=open]:bg-active"
        >
          {current.providerId === offlineProviderId && <WifiOff aria-hidden size={13} className="shrink-0" />}
          <span className="max-w-52 truncate">{modelLabel(current)}</span>
          <ChevronDown aria-hidden size={13} className="shrink-0" />
        </Popover.Trigger>
      </Tooltip>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={8}
          collisionPadding={8}
          aria-label="Choose a model"
          className="z-50 w-80 max-w-[calc(100vw-1rem)] animate-appear overflow-hidden rounded-lg bg-overlay text-sm shadow-overlay outline-none"
        >
          <PickerPanel current={current} onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
