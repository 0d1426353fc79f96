import { localProviderId, memoryShare, type LocalModel, type LocalModelsView } from '#shared/local-model';
import { Cpu, FileDown, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useCommands, useMirror } from '../../store/app-context';
import { chooseModel } from '../../store/choose-model';
import { Button } from '../../ui/button';
import { formatBytes } from '../../ui/format';
import { IconButton } from '../../ui/icon-button';
import { ModelOfferCard } from './model-offer-card';
import { failed, OutcomeLine, type Outcome } from './outcome-line';

/** The models on this computer and the one to download; read again whenever they change. */
function useLocalModels(): LocalModelsView {
  const commands = useCommands();
  const news = useMirror((mirror) => mirror.localModelNews);
  const mirrorAddress = useMirror((mirror) => mirror.settings.modelMirror);
  const [view, setView] = useState<LocalModelsView>({ models: [], offer: null });
  useEffect(() => {
    let current = true;
    void commands.localModels().then((read) => {
      if (current && read.ok) setView(read.value);
    });
    return () => {
      current = false;
    };
  }, [commands, news, mirrorAddress]);
  return view;
}

interface RowProps {
  readonly model: LocalModel;
  readonly inUse: boolean;
  readonly onRemoved: (outcome: Outcome | null) => void;
}

function LocalModelRow({ model: { name, bytes }, inUse, onRemoved }: RowProps) {
  const commands = useCommands();
  const remove = async () => {
    const removed = await commands.removeLocalModel(name);
    onRemoved(removed.ok ? null : failed(removed.error));
  };
  return (
    <li className="flex items-center gap-3 py-1.5 ps-3 pe-2 text-sm">
      <Cpu aria-hidden size={16} strokeWidth={1.75} className="shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        <span className="numbers block text-muted">
          {text('settings.models.local.size', {
            size: formatBytes(bytes),
            memory: formatBytes(bytes * memoryShare),
          })}
        </span>
      </span>
      {inUse ? (
        <span className="text-muted">{text('settings.models.local.inUse')}</span>
      ) : (
        <Button
          aria-label={text('settings.models.local.use', { name })}
          onClick={() =>
            void commands.changeSettings({ model: { providerId: localProviderId, model: name } })
          }
        >
          {text('settings.models.use')}
        </Button>
      )}
      <IconButton
        bare
        icon={Trash2}
        label={text('settings.models.local.remove', { name })}
        onClick={() => void remove()}
      />
    </li>
  );
}

/** The model to download, where no settings are open; nothing when there is none. */
export function OfferedModelCard() {
  const { offer } = useLocalModels();
  return offer && <ModelOfferCard offer={offer} />;
}

/** The models that Patina runs itself, and how to add one. */
export function LocalModels() {
  const commands = useCommands();
  const { models, offer } = useLocalModels();
  const chosen = useMirror((mirror) => mirror.settings.model);
  const listed = useMirror((mirror) => mirror.models);
  const [copying, setCopying] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const current = chooseModel(chosen, listed);
  const importFile = async () => {
    setOutcome(null);
    setCopying(true);
    const added = await commands.importModel();
    setCopying(false);
    if (!added.ok) return setOutcome(failed(added.error));
    if (added.value === null) return;
    const { name } = added.value;
    setOutcome({ good: true, text: text('settings.models.local.imported', { name }) });
  };
  return (
    <section aria-label={text('settings.models.local.title')} className="flex flex-col gap-2">
      <h3 className="text-sm font-medium">{text('settings.models.local.title')}</h3>
      <p className="text-sm text-muted">{text('settings.models.local.about')}</p>
      {models.length > 0 && (
        <>
          <ul
            aria-label={text('settings.models.local.list')}
            className="divide-y divide-line rounded-lg border border-line"
          >
            {models.map((model) => (
              <LocalModelRow
                key={model.name}
                model={model}
                inUse={current.providerId === localProviderId && current.model === model.name}
                onRemoved={setOutcome}
              />
            ))}
          </ul>
          <p className="text-xs text-muted">{text('settings.models.local.talksOnly')}</p>
        </>
      )}
      {offer && <ModelOfferCard offer={offer} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button disabled={copying} onClick={() => void importFile()}>
          <FileDown aria-hidden size={14} />{' '}
          {text(copying ? 'settings.models.local.importing' : 'settings.models.local.import')}
        </Button>
      </div>
      {outcome && <OutcomeLine outcome={outcome} />}
    </section>
  );
}
