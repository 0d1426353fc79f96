import { providerId, type ProviderOffer } from '#shared/provider-row';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { OutcomeLine, failed, type Outcome } from './outcome-line';
import { emptyFields, fieldsOfOffer, readFields } from './provider-fields';

interface FoundKeysProps {
  readonly offers: readonly ProviderOffer[];
  readonly taken: readonly string[];
  /** Opens the form with the offer, because something is left to fill in. */
  readonly onFill: (offer: ProviderOffer) => void;
  readonly onAdded: () => void;
}

/** Providers whose key is in the environment, each one click away from use. */
export function FoundKeys({ offers, taken, onFill, onAdded }: FoundKeysProps) {
  const { editProvider } = useCommands();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const found = offers.filter(({ foundKeys, inUse }) => foundKeys.length > 0 && !inUse);
  if (found.length === 0) return null;
  const add = async (offer: ProviderOffer) => {
    if (offer.placeholder !== undefined || offer.models === 'typed') return onFill(offer);
    const read = readFields({ ...emptyFields, ...fieldsOfOffer(offer) });
    if (!read.ok) return;
    const saved = await editProvider({ id: providerId(offer.name, taken), edit: read.edit });
    setOutcome(saved.ok ? null : failed(saved.error));
    if (saved.ok) onAdded();
  };
  return (
    <section aria-label={text('settings.models.foundKeys')} className="flex flex-col gap-1.5">
      <h3 className="text-sm font-medium">{text('settings.models.foundKeys')}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {found.map((offer) => (
          <li key={offer.id} className="flex items-center gap-3 py-1.5 pe-2 ps-3 text-sm">
            <KeyRound aria-hidden size={16} strokeWidth={1.75} className="shrink-0 text-muted" />
            <span className="min-w-0 flex-1">
              <span className="font-medium">{offer.name}</span>{' '}
              <code className="font-mono text-xs wrap-anywhere text-muted">{offer.foundKeys[0]}</code>
            </span>
            <Button
              aria-label={text('settings.models.useNamed', { name: offer.name })}
              onClick={() => void add(offer)}
            >
              {text('settings.models.use')}
            </Button>
          </li>
        ))}
      </ul>
      {outcome && <OutcomeLine outcome={outcome} />}
    </section>
  );
}
