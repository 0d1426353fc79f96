import { offlineProviderId, type ProviderModels } from '#shared/model';
import { CircleAlert, KeyRound, Plus, Server, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useCommands, useMirror } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { KeyForm } from './key-form';
import { ProviderForm } from './provider-form';

function ProviderSummary({ provider }: { readonly provider: ProviderModels }) {
  return (
    <div className="min-w-0 flex-1 text-sm">
      <p className="truncate font-medium">{provider.name}</p>
      <p className="numbers truncate text-muted">
        {text(`settings.models.source.${provider.source}`)} ·{' '}
        {text('shared.models', { count: provider.models.length })}
        {provider.hasKey && ` · ${text('settings.models.keySaved')}`}
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

function ProviderRow({ provider }: { readonly provider: ProviderModels }) {
  const commands = useCommands();
  const [changingKey, setChangingKey] = useState(false);
  return (
    <li>
      <div className="flex items-start gap-3 py-2.5 pr-2 pl-3">
        <Server aria-hidden size={16} strokeWidth={1.75} className="mt-0.5 shrink-0 text-muted" />
        <ProviderSummary provider={provider} />
        {provider.source === 'configured' && (
          <>
            <IconButton
              bare
              icon={KeyRound}
              label={text('settings.models.changeKey', { name: provider.name })}
              onClick={() => setChangingKey(true)}
            />
            <IconButton
              bare
              icon={Trash2}
              label={text('settings.models.remove', { name: provider.name })}
              onClick={() => void commands.removeProvider(provider.providerId)}
            />
          </>
        )}
      </div>
      {changingKey && <KeyForm provider={provider} onDone={() => setChangingKey(false)} />}
    </li>
  );
}

/** The configured providers, and how to add one. */
export function ModelsSection() {
  const models = useMirror((mirror) => mirror.models);
  const [adding, setAdding] = useState(false);
  const shown = models.filter(({ providerId }) => providerId !== offlineProviderId);
  return (
    <>
      <p className="text-sm text-muted">{text('settings.models.about')}</p>
      {shown.length > 0 && (
        <ul
          aria-label={text('settings.models.list')}
          className="-my-2 divide-y divide-line rounded-lg border border-line"
        >
          {shown.map((provider) => (
            <ProviderRow key={provider.providerId} provider={provider} />
          ))}
        </ul>
      )}
      {adding ? (
        <ProviderForm taken={shown.map(({ providerId }) => providerId)} onDone={() => setAdding(false)} />
      ) : (
        <div>
          <Button onClick={() => setAdding(true)}>
            <Plus aria-hidden size={14} /> {text('settings.models.add')}
          </Button>
        </div>
      )}
    </>
  );
}
