import { providerId, type EditableProvider, type ProviderOffer } from '#shared/provider-row';
import { WireName } from '#shared/model';
import { ExternalLink } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { ChoiceField, TextAreaField } from '../../ui/field';
import { TextField } from '../../ui/text-field';
import { KeyField } from './key-field';
import { OutcomeLine, type Outcome, secretOf, failed } from './outcome-line';
import {
  emptyFields,
  fieldsOf,
  fieldsOfOffer,
  readFields,
  unencryptedHost,
  type ProviderFields,
} from './provider-fields';
import { useFieldProblem, type ProblemsOf } from './use-field-problem';

interface OffersProps {
  readonly offers: readonly ProviderOffer[];
  readonly onPick: (offer: ProviderOffer) => void;
}

function Offers({ offers, onPick }: OffersProps) {
  return (
    <div role="group" aria-label={text('settings.provider.knownServers')} className="flex flex-wrap gap-1.5">
      {offers.map((offer) => (
        <button
          key={offer.id}
          type="button"
          onClick={() => onPick(offer)}
          className="h-6 rounded-full border border-line px-2.5 text-xs text-muted hover:bg-hover hover:text-text"
        >
          {offer.name}
        </button>
      ))}
    </div>
  );
}

interface FieldsProps {
  readonly fields: ProviderFields;
  readonly change: (patch: Partial<ProviderFields>) => void;
  /** What is wrong with a field, if anything. */
  readonly problemsOf: ProblemsOf<keyof ProviderFields>;
}

/** What most providers do not need. */
function MoreFields({ fields, change, problemsOf }: FieldsProps) {
  return (
    <details className="rounded-md border border-line px-3 py-2 open:pb-3">
      <summary className="cursor-default text-sm font-medium">{text('settings.provider.more')}</summary>
      <div className="mt-3 flex flex-col gap-3">
        <ChoiceField
          label={text('settings.provider.wire')}
          hint={text('settings.provider.wireHint')}
          value={fields.wire}
          options={[
            { value: '', label: text('settings.provider.wires.detected') },
            ...WireName.options.map((wire) => ({
              value: wire,
              label: text(`settings.provider.wires.${wire}`),
            })),
          ]}
          onChange={(wire) => change({ wire: WireName.safeParse(wire).data ?? '' })}
        />
        <TextAreaField
          mono
          rows={2}
          spellCheck={false}
          label={text('settings.provider.headers')}
          hint={text('settings.provider.headersHint')}
          value={fields.headers}
          problems={problemsOf('headers')}
          onChange={(headers) => change({ headers })}
        />
        <TextField
          label={text('settings.provider.organization')}
          value={fields.organization}
          problems={problemsOf('organization')}
          onChange={(event) => change({ organization: event.currentTarget.value })}
        />
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label={text('settings.provider.first')}
            inputMode="numeric"
            placeholder="180"
            value={fields.first}
            problems={problemsOf('first')}
            onChange={(event) => change({ first: event.currentTarget.value })}
          />
          <TextField
            label={text('settings.provider.idle')}
            inputMode="numeric"
            placeholder="120"
            value={fields.idle}
            problems={problemsOf('idle')}
            onChange={(event) => change({ idle: event.currentTarget.value })}
          />
        </div>
        <TextField
          label={text('settings.provider.proxy')}
          inputMode="url"
          placeholder={text('settings.provider.proxyExample')}
          value={fields.proxy}
          problems={problemsOf('proxy')}
          onChange={(event) => change({ proxy: event.currentTarget.value })}
        />
      </div>
    </details>
  );
}

/** The key: typed, or the name of the variable that it is in. */
function KeyFields({ fields, change, hint }: Omit<FieldsProps, 'problemsOf'> & { readonly hint: string }) {
  return (
    <>
      {fields.keyVariable !== null && fields.key === '' && (
        <p className="flex flex-wrap items-center gap-2 rounded-md bg-surface px-3 py-2 text-sm">
          <span className="min-w-0 flex-1">
            {text('settings.provider.keyFrom')}{' '}
            <code className="font-mono text-xs wrap-anywhere">{fields.keyVariable}</code>
          </span>
          <Button tone="quiet" onClick={() => change({ keyVariable: null })}>
            {text('settings.provider.keyTyped')}
          </Button>
        </p>
      )}
      {fields.keyVariable === null && (
        <KeyField hint={hint} apiKey={fields.key} unprotected={fields.unprotected} onChange={change} />
      )}
    </>
  );
}

function KeyPage({ offer }: { readonly offer: ProviderOffer }) {
  const { openLink } = useCommands();
  const { keyPage, name } = offer;
  if (keyPage === undefined) return null;
  return (
    <div>
      <Button tone="quiet" onClick={() => void openLink(keyPage)}>
        <ExternalLink aria-hidden size={14} /> {text('settings.provider.keyPage', { name })}
      </Button>
    </div>
  );
}

interface ProviderFormProps {
  /** The ids of all existing providers. */
  readonly taken: readonly string[];
  /** The names of the other configured providers: two of one name could not be told apart. */
  readonly names: readonly string[];
  readonly offers: readonly ProviderOffer[];
  /** The provider to edit; absent: adds one. */
  readonly provider?: EditableProvider;
  /** The known provider to begin with. */
  readonly start?: ProviderOffer;
  readonly onDone: () => void;
}

function Unencrypted({ address }: { readonly address: string }) {
  const host = unencryptedHost(address);
  if (host === null) return null;
  return (
    <p role="status" className="text-sm wrap-anywhere text-copper-text">
      {text('settings.provider.unencrypted', { host })}
    </p>
  );
}

/** Adds or edits a provider; the user can test it before saving. */
export function ProviderForm(props: ProviderFormProps) {
  const { provider, offers, onDone } = props;
  const { form, fields, change, problemsOf, busy, saving, outcome, test, save } = useProviderForm(props);
  const [picked, setPicked] = useState<ProviderOffer | null>(props.start ?? null);
  const pick = (offer: ProviderOffer) => {
    setPicked(offer);
    change(fieldsOfOffer(offer));
  };
  const label = provider
    ? text('settings.models.edit', { name: provider.edit.name })
    : text('settings.models.add');
  return (
    <form
      ref={form}
      aria-label={label}
      aria-busy={saving}
      onSubmit={(event) => void save(event)}
      className="flex flex-col gap-3 rounded-lg border border-line p-4"
    >
      {!provider && <Offers offers={offers} onPick={pick} />}
      <TextField
        label={text('settings.provider.name')}
        autoFocus
        value={fields.name}
        problems={problemsOf('name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextField
        label={text('settings.provider.baseUrl')}
        inputMode="url"
        placeholder={text('settings.provider.baseUrlExample')}
        value={fields.baseUrl}
        problems={problemsOf('baseUrl')}
        {...(picked?.placeholder && {
          hint: text('settings.provider.replace', { word: picked.placeholder }),
        })}
        onChange={(event) => change({ baseUrl: event.currentTarget.value })}
      />
      <Unencrypted address={fields.baseUrl} />
      <KeyFields
        fields={fields}
        change={change}
        hint={text(provider?.hasKey ? 'settings.key.stays' : 'settings.key.optional')}
      />
      {picked && <KeyPage offer={picked} />}
      <TextAreaField
        mono
        rows={2}
        spellCheck={false}
        label={text('settings.provider.models')}
        hint={text(
          picked?.models === 'typed' ? 'settings.provider.modelsTyped' : 'settings.provider.modelsHint',
        )}
        value={fields.models}
        problems={problemsOf('models')}
        onChange={(models) => change({ models })}
      />
      <MoreFields fields={fields} change={change} problemsOf={problemsOf} />
      <OutcomeLine outcome={outcome} />
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onDone}>
          {text('shared.cancel')}
        </Button>
        <Button disabled={busy || fields.baseUrl.trim() === ''} onClick={() => void test()}>
          {text('settings.provider.test')}
        </Button>
        <Button tone="primary" type="submit" disabled={busy}>
          {text('shared.save')}
        </Button>
      </div>
    </form>
  );
}

/** The state of the form, and its two commands. */
function useProviderForm({ taken, names, provider, start, onDone }: ProviderFormProps) {
  const commands = useCommands();
  const [fields, setFields] = useState<ProviderFields>(() =>
    provider ? fieldsOf(provider) : { ...emptyFields, ...(start && fieldsOfOffer(start)) },
  );
  const [work, setWork] = useState<'test' | 'save' | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { form, problemsOf, setProblem } = useFieldProblem<keyof ProviderFields>();

  const test = async () => {
    setOutcome(null);
    // A test needs no name.
    const read = readFields({ ...fields, name: fields.name.trim() || '-' });
    if (!read.ok) return setProblem(read);
    setWork('test');
    const { baseUrl, wire, headers, organization, proxy, keyVariable } = read.edit;
    const tested = await commands.testProvider({
      baseUrl,
      headers,
      organization,
      proxy,
      ...secretOf(fields),
      ...(provider && { id: provider.id }),
      ...(wire && { wire }),
      ...(keyVariable !== null && { keyVariable }),
    });
    setWork(null);
    if (!tested.ok) return setOutcome(failed(tested.error));
    const count = tested.value.models.length;
    setOutcome({ good: true, text: text('settings.provider.answered', { count }) });
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setOutcome(null);
    // A name that was given twice before may stay.
    const read = readFields(
      fields,
      names.filter((name) => name !== provider?.edit.name),
    );
    if (!read.ok) return setProblem(read);
    setWork('save');
    const { unprotected } = fields;
    const saved = await commands.editProvider({
      id: provider?.id ?? providerId(read.edit.name, taken),
      edit: read.edit,
      ...secretOf(fields),
      ...(unprotected && { unprotected }),
    });
    setWork(null);
    if (saved.ok) onDone();
    else setOutcome(failed(saved.error));
  };
  const change = (patch: Partial<ProviderFields>) => {
    setFields((before) => ({ ...before, ...patch }));
    setProblem(null);
  };
  return {
    form,
    fields,
    change,
    problemsOf,
    busy: work !== null,
    saving: work === 'save',
    outcome,
    test,
    save,
  };
}
