import { offlineModel, offlineProviderId, type ModelRef, type ProviderModels } from '#shared/model';
import { modelKey } from '#shared/model-parameters';
import { Command } from 'cmdk';
import { Check, CircleAlert, Pencil, Plug, RefreshCw, Star, WifiOff } from 'lucide-react';
import { useMemo, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { text } from '../../locales/text';
import { useApp, useMirror } from '../../store/app-context';
import { isFromVariable, modelLabel } from '../../store/choose-model';
import { classNames } from '../../ui/class-names';
import { keysText } from '../../ui/key-press';
import { menuItem } from '../../ui/menu-style';
import { ModelFacts } from './model-facts';

/** What the name of a provider does not say. */
const sourceWords: Readonly<Record<ProviderModels['source'], string>> = {
  configured: '',
  environment: '',
  discovered: text('composer.models.discovered'),
  local: '',
  offline: '',
};

const sameModel = (a: ModelRef, b: ModelRef) => a.providerId === b.providerId && a.model === b.model;

/** A model can stand in several groups; the value of a row says in which. */
type ListPart = 'favourite' | 'recent' | 'listed';
const rowValue = (ref: ModelRef, place: ListPart = 'listed') => `${place} ${modelKey(ref)}`;

/** The model of a row; null for a row that is none. */
function modelOfRow(value: string): ModelRef | null {
  const [, providerId, model] = /^(?:favourite|recent|listed) ([^/]+)\/(.+)$/.exec(value) ?? [];
  return providerId === undefined || model === undefined ? null : { providerId, model };
}

interface Picking {
  readonly current: ModelRef;
  readonly favourites: readonly string[];
  readonly onPick: (model: ModelRef) => void;
  readonly onStar: (model: ModelRef) => void;
  readonly onFacts: (model: ModelRef) => void;
}

interface RowProps extends Picking {
  readonly provider: ProviderModels;
  readonly model: string;
  readonly place: ListPart;
}

const sign = 'flex size-5 shrink-0 items-center justify-center rounded-sm hover:text-text';
const onRow = 'invisible group-hover:visible group-data-[selected=true]:visible';

/** A sign for the pointer; a key does the same for the row that is highlighted. */
function Sign(props: {
  readonly icon: typeof Star;
  readonly title: string;
  readonly marked?: boolean;
  readonly onClick: () => void;
}) {
  const { icon: Icon, title, marked = false, onClick } = props;
  const click = (event: MouseEvent) => {
    event.stopPropagation();
    onClick();
  };
  return (
    <span
      aria-hidden
      title={title}
      onClick={click}
      className={classNames(sign, marked ? 'text-text' : `text-muted ${onRow}`)}
    >
      <Icon size={13} fill={marked ? 'currentColor' : 'none'} />
    </span>
  );
}

function ModelRow({ provider, model, place, current, favourites, onPick, onStar, onFacts }: RowProps) {
  const ref = { providerId: provider.providerId, model };
  const favourite = favourites.includes(modelKey(ref));
  return (
    <Command.Item value={rowValue(ref, place)} onSelect={() => onPick(ref)} className={`group ${menuItem}`}>
      <span className="min-w-0 flex-1 truncate" title={model}>
        {model}
        {place !== 'listed' && <span className="text-muted"> · {provider.name}</span>}
      </span>
      {favourite && <span className="sr-only">{text('composer.models.favourite')}</span>}
      {sameModel(ref, current) && (
        <Check aria-label={text('composer.models.chosen')} size={14} className="shrink-0 text-accent-text" />
      )}
      <ModelFacts
        context={provider.contextTokens?.[model]}
        abilities={provider.abilities?.[model]}
        price={provider.prices?.[model]}
      />
      <Sign icon={Pencil} title={text('composer.models.edit')} onClick={() => onFacts(ref)} />
      <Sign
        icon={Star}
        title={text(favourite ? 'composer.models.unstar' : 'composer.models.star')}
        marked={favourite}
        onClick={() => onStar(ref)}
      />
    </Command.Item>
  );
}

function ProviderGroup({ group, ...picking }: Picking & { readonly group: ModelGroup }) {
  const { provider, matches } = group;
  return (
    <Command.Group heading={[provider.name, sourceWords[provider.source]].filter(Boolean).join(' · ')}>
      {provider.problem && (
        <p className="flex gap-2 px-2 py-1.5 text-xs text-copper-text">
          <CircleAlert aria-hidden size={14} className="shrink-0" /> {provider.problem}
        </p>
      )}
      {matches.map((model) => (
        <ModelRow key={model} provider={provider} model={model} place="listed" {...picking} />
      ))}
    </Command.Group>
  );
}

interface KeyedProps extends Picking {
  readonly place: Exclude<ListPart, 'listed'>;
  readonly keys: readonly string[];
}

/** Models by their keys, as long as a provider lists them. */
function KeyedGroup({ place, keys, ...picking }: KeyedProps) {
  const models = useMirror((mirror) => mirror.models);
  const rows = keys.flatMap((key) => {
    const slash = key.indexOf('/');
    const provider = models.find(({ providerId }) => providerId === key.slice(0, slash));
    const model = key.slice(slash + 1);
    return provider?.models.includes(model) ? [{ key, provider, model }] : [];
  });
  if (rows.length === 0) return null;
  return (
    <Command.Group heading={text(`composer.models.groups.${place}`)}>
      {rows.map(({ key, provider, model }) => (
        <ModelRow key={key} provider={provider} model={model} place={place} {...picking} />
      ))}
    </Command.Group>
  );
}

const recentsShown = 5;

function ModelGroups({ search, ...picking }: Picking & { readonly search: string }) {
  const models = useMirror((mirror) => mirror.models);
  const recents = useMirror((mirror) => mirror.settings.recentModels);
  const { groups, hidden } = useMemo(() => matchModels(models, search), [models, search]);
  const everything = search.trim() === '';
  if (groups.length === 0 && everything) return null;
  const { favourites } = picking;
  const others = recents.filter((key) => !favourites.includes(key)).slice(0, recentsShown);
  return (
    <div className="p-1">
      {everything && <KeyedGroup place="favourite" keys={favourites} {...picking} />}
      {everything && <KeyedGroup place="recent" keys={others} {...picking} />}
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

interface LastItemsProps extends Pick<Picking, 'current' | 'onPick'> {
  readonly onDone: () => void;
}

function LastItems({ current, onPick, onDone }: LastItemsProps) {
  const { commands, view } = useApp();
  const fromVariable = useMirror((mirror) => isFromVariable(current, mirror.models));
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
      {fromVariable && <p className="px-2 pt-1 text-2xs text-muted">{text('shared.modelFromVariable')}</p>}
      <p className="px-2 pt-1 text-2xs text-muted">
        {text('composer.models.keys', { favourite: keysText('Mod+D'), edit: keysText('Mod+E') })}
      </p>
    </div>
  );
}

/** The searchable models of every provider; the models that always work stay visible below them. */
export function ModelPanel({ current, onDone }: { readonly current: ModelRef; readonly onDone: () => void }) {
  const { commands, view } = useApp();
  const favourites = useMirror((mirror) => mirror.settings.favouriteModels);
  const [search, setSearch] = useState('');
  const [highlighted, setHighlighted] = useState(rowValue(current));
  const pick = (model: ModelRef) => {
    void commands.pickModel(model);
    onDone();
  };
  const star = (model: ModelRef) => {
    const key = modelKey(model);
    const marked = favourites.includes(key);
    const labelKey = marked ? 'composer.models.unstarred' : 'composer.models.starred';
    view.announce(text(labelKey, { model: model.model }));
    const others = favourites.filter((each) => each !== key);
    void commands.changeSettings({ favouriteModels: marked ? others : [...others, key] });
  };
  const editFacts = (model: ModelRef) => {
    onDone();
    view.set({ dialog: { kind: 'model', model } });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    const act = { d: star, e: editFacts }[event.key.toLowerCase()];
    const model = modelOfRow(highlighted);
    if (!act || !model || model.providerId === offlineProviderId) return;
    event.preventDefault();
    act(model);
  };
  const picking = { current, favourites, onPick: pick, onStar: star, onFacts: editFacts };
  return (
    <Command
      shouldFilter={false}
      loop
      label={text('composer.models.list')}
      value={highlighted}
      onValueChange={setHighlighted}
      onKeyDown={onKeyDown}
    >
      <Command.Input
        autoFocus
        value={search}
        onValueChange={setSearch}
        placeholder={text('composer.models.search')}
        className="h-9 w-full border-b border-line bg-transparent px-3 text-sm outline-none"
      />
      <Command.List className="max-h-[min(34rem,60vh)] scroll-pb-32 overflow-y-auto [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-muted">
        <ModelGroups search={search} {...picking} />
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

/** How close a name is to the text: the name itself 0, a name that begins with the text 1, any other 2. */
function distance(model: string, text: string): number {
  const name = model.toLowerCase();
  const wanted = text.trim().toLowerCase();
  if (wanted === '' || name === wanted) return 0;
  return name.startsWith(wanted) ? 1 : 2;
}

/**
 * Models whose provider or own name contains every word of `text`: the `modelsShown` closest of all providers, and
 * the number of further matches. The provider of the closest one comes first; equal ones are in the providers' order.
 */
function matchModels(
  models: readonly ProviderModels[],
  text: string,
): { readonly groups: readonly ModelGroup[]; readonly hidden: number } {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const online = models.filter(({ providerId }) => providerId !== offlineProviderId);
  const found = online.flatMap((provider) =>
    provider.models
      .filter((model) => {
        const name = `${provider.name} ${model}`.toLowerCase();
        return words.every((word) => name.includes(word));
      })
      .map((model) => ({ provider, model, distance: distance(model, text) })),
  );
  const shown = found.toSorted((a, b) => a.distance - b.distance).slice(0, modelsShown);
  // Without a text, a provider without models is listed too if it has a problem to report.
  const troubled = words.length > 0 ? [] : online;
  const matches = new Map(troubled.map((provider): [ProviderModels, string[]] => [provider, []]));
  for (const { provider, model } of shown) {
    matches.set(provider, [...(matches.get(provider) ?? []), model]);
  }
  const groups = [...matches].map(([provider, names]) => ({ provider, matches: names }));
  return {
    groups: groups.filter((group) => group.matches.length > 0 || group.provider.problem !== undefined),
    hidden: found.length - shown.length,
  };
}
