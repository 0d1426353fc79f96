import type { PromptPreview, ToolVerdict } from '#shared/prompt';
import { Ban, CircleCheck, RotateCw, Unplug, Wrench } from 'lucide-react';
import { useState } from 'react';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { EmptyState } from './empty-state';
import { usePrompt, type LoadPrompt } from './use-prompt';

/** The layers that can exclude a tool, in the order in which the gate checks them. */
const layers: Readonly<Record<NonNullable<ToolVerdict['layer']>, string>> = {
  mode: 'mode',
  workflow: 'workflow',
  descriptor: 'catalog',
  binding: 'unbound',
  capability: 'capabilities',
};

function lookOf({ offered, layer }: ToolVerdict) {
  if (offered) return { icon: CircleCheck, ink: 'text-accent-text', word: 'offered' };
  return {
    icon: layer === 'binding' ? Unplug : Ban,
    ink: layer === 'binding' ? 'text-copper-text' : 'text-muted',
    word: layer ? layers[layer] : 'left out',
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

const holds = ({ name, reason, layer }: ToolVerdict, text: string): boolean =>
  [name, reason, layer ? layers[layer] : ''].some((part) => part.toLowerCase().includes(text));

function Verdicts({ preview, text }: { readonly preview: PromptPreview; readonly text: string }) {
  const shown = (preview.verdicts ?? []).filter((verdict) => holds(verdict, text.trim().toLowerCase()));
  if (shown.length === 0) {
    return (
      <EmptyState icon={Wrench} title="No such tool">
        {text === '' ? 'No tool is known here.' : `Nothing known here fits “${text}”.`}
      </EmptyState>
    );
  }
  return (
    <>
      <Group label="Offered" verdicts={shown.filter(({ offered }) => offered)} />
      <Group label="Left out" verdicts={shown.filter(({ offered }) => !offered)} />
    </>
  );
}

/** Why each tool is or is not offered with the next line: mode, workflow, catalog, binding, capabilities. */
export function ToolsTab({ loadPrompt }: { readonly loadPrompt: LoadPrompt }) {
  const { result, reload } = usePrompt(loadPrompt);
  const [text, setText] = useState('');
  return (
    <div className="px-4 pt-3 pb-8">
      <div className="flex items-center gap-1">
        <input
          type="search"
          aria-label="Filter the tools"
          placeholder="Filter by name or reason"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="readable h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent"
        />
        <IconButton icon={RotateCw} label="Look again" onClick={reload} />
      </div>
      <p className="mt-1 mb-3 text-xs text-muted">
        For the next line, in the gate’s order. Servers’ tools are asked for in Agent Mode, in a workflow, and
        while tools in Ask is on.
      </p>
      {result && !result.ok && <ErrorCard error={result.error} onRetry={reload} />}
      {result?.ok && <Verdicts preview={result.value} text={text} />}
    </div>
  );
}
