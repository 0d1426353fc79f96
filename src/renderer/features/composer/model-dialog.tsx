import { abilitiesOf, contextTokensOf, listedPriceOf, type ModelPrice, type ModelRef } from '#shared/model';
import { modelKey, type ModelOptions } from '#shared/model-parameters';
import { X } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useApp, useMirror } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { SelectField } from '../../ui/select-field';
import { NumberField } from '../../ui/number-field';

const flags = ['images', 'tools', 'thinking'] as const;
type Flag = (typeof flags)[number];
const rates = ['input', 'cachedInput', 'cacheWrite', 'output'] as const;

type Changed = { readonly [Name in keyof ModelOptions]?: ModelOptions[Name] | undefined };
type Rates = { readonly [Name in keyof ModelPrice]?: ModelPrice[Name] | undefined };

/** The options that are set. */
const setOnly = (options: Changed): ModelOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** A price once both main rates are known. */
function priceWith({ input, output, cachedInput, cacheWrite, above }: Rates): ModelPrice | undefined {
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    output,
    ...(above && { above }),
  };
}

/** The choice that follows what is known. */
function followed(own: boolean | undefined, known: boolean | undefined): string {
  if (own !== undefined || known === undefined) return text('composer.facts.asKnown');
  return text(known ? 'composer.facts.knownYes' : 'composer.facts.knownNo');
}

/** The user's corrections for one model: its sizes, abilities and prices. */
export function ModelDialog({ model }: { readonly model: ModelRef }) {
  const { commands, view } = useApp();
  const models = useMirror((mirror) => mirror.models);
  const options = useMirror((mirror) => mirror.settings.modelOptions);
  const key = modelKey(model);
  const own = options[key] ?? {};
  const known = abilitiesOf(model, models);
  const price: Rates = own.price ?? listedPriceOf(model, models) ?? {};
  const change = (part: Changed) => void commands.setModelOptions(key, setOnly({ ...own, ...part }));
  const setFlag = (name: Flag, value: string) =>
    change({ [name]: value === '' ? undefined : value === 'true' });
  const close = () => view.set({ dialog: null });
  return (
    <Modal
      label={text('composer.facts.title', { model: model.model })}
      onClose={close}
      className="my-auto w-96 max-w-[calc(100vw-2rem)]"
    >
      <div className="relative flex max-h-[calc(100vh-2rem)] flex-col gap-3 overflow-y-auto p-5 text-sm">
        <h2 className="me-8 truncate text-base font-semibold" title={key}>
          {model.model}
        </h2>
        <p className="text-xs text-muted">{text('composer.facts.about')}</p>
        <div className="grid grid-cols-2 gap-3">
          <NumberField
            label={text('composer.facts.contextTokens')}
            value={own.contextTokens}
            placeholder={String(contextTokensOf(model, models) ?? '')}
            min={256}
            max={100_000_000}
            whole
            onChange={(contextTokens) => change({ contextTokens })}
          />
          <NumberField
            label={text('composer.facts.outputTokens')}
            value={own.outputTokens}
            placeholder={String(known.outputTokens ?? '')}
            min={1}
            max={100_000_000}
            whole
            onChange={(outputTokens) => change({ outputTokens })}
          />
        </div>
        <div className="grid grid-cols-3 gap-3">
          {flags.map((name) => (
            <SelectField
              key={name}
              label={text(`composer.facts.flags.${name}`)}
              value={own[name] === undefined ? '' : String(own[name])}
              options={[
                { value: '', label: followed(own[name], known[name]) },
                { value: 'true', label: text('composer.facts.yes') },
                { value: 'false', label: text('composer.facts.no') },
              ]}
              onChange={(value) => setFlag(name, value)}
            />
          ))}
        </div>
        <PriceFields price={price} onChange={(next) => change({ price: next })} />
        <IconButton
          bare
          icon={X}
          label={text('composer.facts.close')}
          onClick={close}
          className="absolute top-2.5 end-2.5"
        />
      </div>
    </Modal>
  );
}

interface PriceFieldsProps {
  readonly price: Rates;
  /** Called with a whole price, or with undefined when one of its main rates is empty. */
  readonly onChange: (price: ModelPrice | undefined) => void;
}

function PriceFields({ price, onChange }: PriceFieldsProps) {
  const [draft, setDraft] = useState(price);
  return (
    <fieldset>
      <legend className="text-xs font-medium text-muted">{text('composer.facts.price')}</legend>
      <div className="mt-2 grid grid-cols-2 gap-3">
        {rates.map((rate) => (
          <NumberField
            key={rate}
            label={text(`composer.facts.rates.${rate}`)}
            value={draft[rate]}
            min={0}
            max={1_000_000}
            onChange={(value) => {
              const next = { ...draft, [rate]: value };
              setDraft(next);
              onChange(priceWith(next));
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}
