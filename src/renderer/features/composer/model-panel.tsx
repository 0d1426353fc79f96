import { offlineModel, offlineProviderId, type ModelRef, type ProviderModels } from '#shared/model';
import { Command } from 'cmdk';
import { Check, CircleAlert, Plug, RefreshCw, WifiOff } from 'lucide-react';
import { useMemo, useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useMirror } from '../../store/app-context';
import { modelLabel } from '../../store/choose-model';
import { menuItem } from '../../ui/menu-style';

const sourceWords: Readonly<Record<ProviderModels['source'], string>> = {
  configured: '',
  environment: text('composer.models.environment'),
  discovered: text('composer.models.discovered'),
  offline: '',
};

const sameModel = (a: ModelRef, b: ModelRef) => a.providerId === b.providerId && a.model === b.model;
const rowValue = ({ providerId, model }: ModelRef) => `${providerId}/${model}`;

interface Picking {
  readonly current: ModelRef;
  readonly onPick: (model: ModelRef) => void;
}

function ProviderGroup({ group, current, onPick }: Picking & { readonly group: ModelGroup }) {
  const { provider, matches } = group;
  return (
    <Command.Group heading={[provider.name, sourceWords[provider.source]].filter(Boolean).join(' · ')}>
      {provider.problem && (
        <p className="flex gap-2 px-2 py-1.5 text-xs text-copper-text">
          <CircleAlert aria-hidden size={14} className="shrink-0" /> {provider.problem}
        </p>
      )}
      {matches.map((model) => {
        const ref = { providerId: provider.providerId, model };
        return (
          <Command.Item key={model} value={rowValue(ref)} onSelect={() => onPick(ref)} className={menuItem}>
            <span className="min-w-0 flex-1 truncate">{model}</span>
            {sameModel(ref, current) && (
              <Check aria-label={text('composer.models.chosen')} size={14} className="text-accent-text" />
            )}
          </Command.Item>
        );
      })}
    </Command.Group>
  );
}

function ModelGroups({ search, ...picking }: Picking & { readonly search: string }) {
  const models = useMirror((mirror) => mirror.models);
  const { groups, hidden } = useMemo(() => matchModels(models, search), [models, search]);
  if (groups.length === 0 && search.trim() === '') return null;
  return (
    <div className="p-1">
      {groups.map((group) => (
        <ProviderGroup key={group.provider.providerId} group={group} {...picking} />
      ))}
      {groups.length === 0 && (
        <p className="px-2 py-3 text-muted">{text('composer.models.noMatch', { search: search.trim() })}</p>
      )}
      {hidden > 0 && (
        <p className="numbers px-2 py-1.5 text-xs text-muted">
          {text('composer.models.shown', { shown: modelsShown, count: modelsShown + hidden })}
        </p>
      )}
    </div>
  );
}

function LastItems({ current, onPick, onDone }: Picking & { readonly onDone: () => void }) {
  const { commands, view } = useApp();
  const connect = () => {
    onDone();
    view.set({ dialog: { kind: 'settings', section: 'models' } });
  };
  return (
    <div className="sticky bottom-0 border-t border-line bg-overlay p-1">
      <Command.Item value={rowValue(offlineModel)} onSelect={() => onPick(offlineModel)} className={menuItem}>
        <WifiOff aria-hidden size={14} className="text-muted" />
        <span className="flex-1">{modelLabel(offlineModel)}</span>
        {current.providerId === offlineProviderId && (
          <Check aria-label={text('composer.models.chosen')} size={14} className="text-accent-text" />
        )}
      </Command.Item>
      <Command.Item value="connect" onSelect={connect} className={menuItem}>
        <Plug aria-hidden size={14} className="text-muted" /> {text('composer.models.connect')}
      </Command.Item>
      <Command.Item value="refresh" onSelect={() => void commands.refreshModels()} className={menuItem}>
        <RefreshCw aria-hidden size={14} className="text-muted" /> {text('composer.models.refresh')}
      </Command.Item>
    </div>
  );
}

/** The searchable models of every provider; the models that always work stay visible below them. */
export function ModelPanel({ current, onDone }: { readonly current: ModelRef; readonly onDone: () => void }) {
  const { commands } = useApp();
  const [search, setSearch] = useState('');
  const pick = (model: ModelRef) => {
    void commands.pickModel(model);
    onDone();
  };
  return (
    <Command shouldFilter={false} loop label={text('composer.models.list')} defaultValue={rowValue(current)}>
      <Command.Input
        autoFocus
        value={search}
        onValueChange={setSearch}
        placeholder={text('composer.models.search')}
        className="h-9 w-full border-b border-line bg-transparent px-3 text-sm outline-none"
      />
      <Command.List className="max-h-96 scroll-pb-28 overflow-y-auto [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-muted">
        <ModelGroups search={search} current={current} onPick={pick} />
        <LastItems current={current} onPick={pick} onDone={onDone} />
      </Command.List>
    </Command>
  );
}

/** Maximum rows to render; a provider can list a hundred thousand. */
const modelsShown = 100;

interface ModelGroup {
  readonly provider: ProviderModels;
  readonly matches: readonly string[];
}

/** The name itself first, then names that begin with the text, then all others, each in the provider's order. */
function byCloseness(models: readonly string[], text: string): readonly string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return models;
  const rank = (model: string): number => {
    const name = model.toLowerCase();
    if (name === wanted) return 0;
    return name.startsWith(wanted) ? 1 : 2;
  };
  return models.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Models whose provider or own name contains every word of `text`, the closest first, at most `modelsShown`, and the number of
 * further matches.
 */
function matchModels(
  models: readonly ProviderModels[],
  text: string,
): { readonly groups: readonly ModelGroup[]; readonly hidden: number } {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups: ModelGroup[] = [];
  let left = modelsShown;
  let hidden = 0;
  for (const provider of models) {
    if (provider.providerId === offlineProviderId) continue;
    const all = provider.models.filter((model) => {
      const name = `${provider.name} ${model}`.toLowerCase();
      return words.every((word) => name.includes(word));
    });
    const matches = byCloseness(all, text).slice(0, left);
    left -= matches.length;
    hidden += all.length - matches.length;
    if (matches.length > 0 || (provider.problem !== undefined && words.length === 0)) {
      groups.push({ provider, matches });
    }
  }
  return { groups, hidden };
}
