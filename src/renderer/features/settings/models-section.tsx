import { localProviderId } from '#shared/local-model';
import { offlineProviderId, type ProviderModels } from '#shared/model';
import type { EditableProvider, ProviderOffer } from '#shared/provider-row';
import { CircleAlert, KeyRound, Pencil, Plus, Server, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useCommands, useMirror } from '../../store/app-context';
import { chooseModel, isFromVariable, modelLabel } from '../../store/choose-model';
import type { ProviderKnowledge } from '../../store/commands';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { useLostFocus } from '../../ui/use-lost-focus';
import { FoundKeys } from './found-keys';
import { LocalModels } from './local-models';
import { KeyForm } from './key-form';
import { ProviderForm } from './provider-form';

function keyText({ source }: ProviderModels, editable: EditableProvider | undefined): string {
  const place = source === 'environment' ? 'variable' : editable?.keyPlace;
  return place ? text(`settings.models.keyKept.${place}`) : text('settings.models.keySaved');
}

function ProviderSummary({ provider, editable }: Pick<ProviderRowProps, 'provider' | 'editable'>) {
  return (
    <div className="min-w-0 flex-1 text-sm">
      <p className="truncate font-medium">{provider.name}</p>
      <p className="numbers truncate text-muted">
        {text(`settings.models.source.${provider.source}`)} ·{' '}
        {text('shared.models', { count: provider.models.length })}
        {provider.hasKey && ` · ${keyText(provider, editable)}`}
      </p>
      {provider.baseUrl && (
        <p className="readable truncate font-mono text-xs text-muted">{provider.baseUrl}</p>
      )}
      {provider.problem && (
        <p className="mt-1 flex gap-1.5 text-danger-text">
          <CircleAlert aria-hidden size={14} className="mt-0.5 shrink-0" /> {provider.problem}
        </p>
      )}
    </div>
  );
}

interface ProviderRowProps {
  readonly provider: ProviderModels;
  readonly editable: EditableProvider | undefined;
  readonly offers: readonly ProviderOffer[];
  /** The names of the other configured providers. */
  readonly names: readonly string[];
  readonly onChanged: () => void;
}

function ProviderRow({ provider, editable, offers, names, onChanged }: ProviderRowProps) {
  const commands = useCommands();
  const [open, setOpen] = useState<'key' | 'edit' | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const onFocus = useLostFocus(open, () => opener.current?.focus());
  const show = (form: 'key' | 'edit', button: HTMLButtonElement) => {
    opener.current = button;
    setOpen(form);
  };
  const close = () => {
    setOpen(null);
    onChanged();
  };
  return (
    <li onFocus={onFocus}>
      <div className="flex items-start gap-3 py-2.5 pe-2 ps-3">
        <Server aria-hidden size={16} strokeWidth={1.75} className="mt-0.5 shrink-0 text-muted" />
        <ProviderSummary provider={provider} editable={editable} />
        {provider.source === 'configured' && (
          <>
            {editable && (
              <IconButton
                bare
                icon={Pencil}
                label={text('settings.models.edit', { name: provider.name })}
                onClick={(event) => show('edit', event.currentTarget)}
              />
            )}
            <IconButton
              bare
              icon={KeyRound}
              label={text('settings.models.changeKey', { name: provider.name })}
              onClick={(event) => show('key', event.currentTarget)}
            />
            <IconButton
              bare
              icon={Trash2}
              label={text('settings.models.remove', { name: provider.name })}
              onClick={() => void commands.removeProvider(provider.providerId).then(onChanged)}
            />
          </>
        )}
      </div>
      {open === 'key' && <KeyForm provider={provider} onDone={close} />}
      {open === 'edit' && editable && (
        <div className="px-3 pb-3">
          <ProviderForm taken={[]} names={names} offers={offers} provider={editable} onDone={close} />
        </div>
      )}
    </li>
  );
}

/** What main knows of providers besides their models; read again after each change. */
function useProviders() {
  const commands = useCommands();
  const [known, setKnown] = useState<ProviderKnowledge>({ offers: [], editable: [] });
  const [stamp, setStamp] = useState(0);
  useEffect(() => {
    let current = true;
    void commands.providerKnowledge().then((read) => {
      if (current) setKnown(read);
    });
    return () => {
      current = false;
    };
  }, [commands, stamp]);
  return { ...known, reload: () => setStamp((before) => before + 1) };
}

/** The model of new messages; the list of models is the one beside the message box. */
function DefaultModel() {
  const { view } = useApp();
  const models = useMirror((mirror) => mirror.models);
  const chosen = useMirror((mirror) => mirror.settings.model);
  const current = chooseModel(chosen, models);
  return (
    <div className="flex items-center gap-3 text-sm">
      <div className="min-w-0 flex-1">
        <h4 className="font-medium">{text('settings.models.default')}</h4>
        <p className="truncate text-muted">{modelLabel(current)}</p>
        {isFromVariable(current, models) && <p className="text-muted">{text('shared.modelFromVariable')}</p>}
      </div>
      <Button onClick={() => view.set({ dialog: null, modelPickerOpen: true, modelFor: null })}>
        {text('settings.models.chooseDefault')}
      </Button>
    </div>
  );
}

/** The configured providers, and how to add one. */
export function ModelsSection() {
  const models = useMirror((mirror) => mirror.models);
  const { offers, editable, reload } = useProviders();
  const [adding, setAdding] = useState<ProviderOffer | 'empty' | null>(null);
  const shown = models.filter(
    ({ providerId }) => providerId !== offlineProviderId && providerId !== localProviderId,
  );
  const addButton = useRef<HTMLButtonElement>(null);
  const onFocus = useLostFocus(`${adding === null} ${shown.length}`, () => addButton.current?.focus());
  const taken = [...shown.map(({ providerId }) => providerId), ...editable.map(({ id }) => id)];
  const namesBut = (id: string | null): readonly string[] =>
    editable.filter((other) => other.id !== id).map(({ edit }) => edit.name);
  const done = () => {
    setAdding(null);
    reload();
  };
  return (
    <div onFocus={onFocus} className="contents">
      <p className="text-sm text-muted">{text('settings.models.about')}</p>
      <DefaultModel />
      {shown.length > 0 && (
        <ul
          aria-label={text('settings.models.list')}
          className="-my-2 divide-y divide-line rounded-lg border border-line"
        >
          {shown.map((provider) => (
            <ProviderRow
              key={provider.providerId}
              provider={provider}
              editable={editable.find(({ id }) => id === provider.providerId)}
              offers={offers}
              names={namesBut(provider.providerId)}
              onChanged={reload}
            />
          ))}
        </ul>
      )}
      {adding === null ? (
        <>
          <FoundKeys offers={offers} taken={taken} onFill={setAdding} onAdded={reload} />
          <div>
            <Button ref={addButton} onClick={() => setAdding('empty')}>
              <Plus aria-hidden size={14} /> {text('settings.models.add')}
            </Button>
          </div>
        </>
      ) : (
        <ProviderForm
          taken={taken}
          names={namesBut(null)}
          offers={offers}
          {...(adding !== 'empty' && { start: adding })}
          onDone={done}
        />
      )}
      <LocalModels />
    </div>
  );
}
