import { offlineProviderId, type ProviderModels } from '#shared/model';
import { CircleAlert, KeyRound, Plus, Server, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useCommands, useMirror } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { KeyForm } from './key-form';
import { ProviderForm } from './provider-form';

const sourceWords: Readonly<Record<ProviderModels['source'], string>> = {
  configured: 'Configured',
  environment: 'From the environment',
  discovered: 'Found on this computer',
  offline: 'Built in',
};

function countWords(count: number): string {
  return count === 1 ? '1 model' : `${count.toLocaleString('en-US')} models`;
}

function ProviderWords({ provider }: { readonly provider: ProviderModels }) {
  return (
    <div className="min-w-0 flex-1 text-sm">
      <p className="truncate font-medium">{provider.name}</p>
      <p className="numbers truncate text-muted">
        {sourceWords[provider.source]} · {countWords(provider.models.length)}
        {provider.hasKey && ' · key saved'}
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
        <ProviderWords provider={provider} />
        {provider.source === 'configured' && (
          <>
            <IconButton
              bare
              icon={KeyRound}
              label={`Change the key of ${provider.name}`}
              onClick={() => setChangingKey(true)}
            />
            <IconButton
              bare
              icon={Trash2}
              label={`Remove ${provider.name}`}
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
      <p className="text-sm text-muted">
        Any server that speaks the OpenAI API. Ollama and LM Studio on this computer are found by themselves;
        without a server Patina works offline.
      </p>
      {shown.length > 0 && (
        <ul aria-label="Providers" className="-my-2 divide-y divide-line rounded-lg border border-line">
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
            <Plus aria-hidden size={14} /> Add a provider
          </Button>
        </div>
      )}
    </>
  );
}
