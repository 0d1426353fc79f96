import type { PromptPreview, ToolVerdict } from '#shared/prompt';
import { Ban, CircleCheck, RotateCw, Unplug, Wrench } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { EmptyState } from './empty-state';
import { usePrompt, type LoadPrompt } from './use-prompt';

/** The layers that can exclude a tool, in the order in which the gate checks them. */
const layers: Readonly<Record<NonNullable<ToolVerdict['layer']>, string>> = {
  mode: text('inspector.tools.layer.mode'),
  workflow: text('inspector.tools.layer.workflow'),
  descriptor: text('inspector.tools.layer.catalog'),
  binding: text('inspector.tools.layer.unbound'),
  capability: text('inspector.tools.layer.capabilities'),
  model: text('inspector.tools.layer.model'),
};

function lookOf({ offered, layer }: ToolVerdict) {
  if (offered)
    return { icon: CircleCheck, ink: 'text-accent-text', word: text('inspector.tools.offeredWord') };
  return {
    icon: layer === 'binding' ? Unplug : Ban,
    ink: layer === 'binding' ? 'text-copper-text' : 'text-muted',
    word: layer ? layers[layer] : text('inspector.tools.leftOutWord'),
  };
}

function VerdictRow({ verdict }: { readonly verdict: ToolVerdict }) {
  const { icon: Icon, ink, word } = lookOf(verdict);
  return (
    <li className="flex items-start gap-2 px-2.5 py-1.5">
      <Icon aria-hidden className={`mt-0.5 size-3.5 shrink-0 ${ink}`} />
      <div className="min-w-0 grow">
        <p className="readable font-mono text-xs wrap-anywhere">{verdict.name}</p>
        <p className="text-xs text-muted">{verdict.reason}</p>
      </div>
      <span className={`shrink-0 text-xs ${ink}`}>{word}</span>
    </li>
  );
}

function Group({ label, verdicts }: { readonly label: string; readonly verdicts: readonly ToolVerdict[] }) {
  if (verdicts.length === 0) return null;
  return (
    <section className="mb-5">
      <h3 className="numbers mb-1.5 text-xs font-medium text-muted">
        {label} · {verdicts.length}
      </h3>
      <ul aria-label={label} className="divide-y divide-line overflow-hidden rounded-lg border border-line">
        {verdicts.map((verdict) => (
          <VerdictRow key={verdict.name} verdict={verdict} />
        ))}
      </ul>
    </section>
  );
}

const matches = ({ name, reason, layer }: ToolVerdict, search: string): boolean =>
  [name, reason, layer ? layers[layer] : ''].some((part) => part.toLowerCase().includes(search));

function Verdicts({ preview, search }: { readonly preview: PromptPreview; readonly search: string }) {
  const shown = (preview.verdicts ?? []).filter((verdict) => matches(verdict, search.trim().toLowerCase()));
  if (shown.length === 0) {
    return (
      <EmptyState icon={Wrench} title={text('inspector.tools.none')}>
        {search === '' ? text('inspector.tools.empty') : text('inspector.tools.noMatch', { search })}
      </EmptyState>
    );
  }
  return (
    <>
      <Group label={text('inspector.tools.offered')} verdicts={shown.filter(({ offered }) => offered)} />
      <Group label={text('inspector.tools.leftOut')} verdicts={shown.filter(({ offered }) => !offered)} />
    </>
  );
}

/** Why each tool is or is not offered with the next line: mode, workflow, catalog, binding, capabilities. */
export function ToolsTab({ loadPrompt }: { readonly loadPrompt: LoadPrompt }) {
  const { result, reload } = usePrompt(loadPrompt);
  const [search, setSearch] = useState('');
  return (
    <div className="px-4 pt-3 pb-8">
      <div className="flex items-center gap-1">
        <input
          type="search"
          aria-label={text('inspector.tools.filter')}
          placeholder={text('inspector.tools.filterHint')}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="readable h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent"
        />
        <IconButton icon={RotateCw} label={text('inspector.tools.refresh')} onClick={reload} />
      </div>
      <p className="mt-1 mb-3 text-xs text-muted">{text('inspector.tools.about')}</p>
      {result && !result.ok && <ErrorCard error={result.error} onRetry={reload} />}
      {result?.ok && <Verdicts preview={result.value} search={search} />}
    </div>
  );
}
