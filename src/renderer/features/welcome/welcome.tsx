import { offlineProviderId, type ProviderModels } from '#shared/model';
import { ArrowRight, MessageSquare, Plug, Workflow } from 'lucide-react';
import { useApp, useMirror, useProject } from '../../store/app-context';
import { chooseModel, isMissing } from '../../store/choose-model';
import { Button } from '../../ui/button';
import { Mark } from '../../ui/mark';
import type { RunMode } from '#shared/run-mode';

/** A discovered local server with at least one model, which needs no configuration. */
function localServer(models: readonly ProviderModels[]): ProviderModels | undefined {
  return models.find(({ source, models: offered }) => source === 'discovered' && offered.length > 0);
}

function SuggestionRow({ suggestion }: { readonly suggestion: Suggestion }) {
  const { commands } = useApp();
  const project = useProject();
  const agentMode = useMirror((mirror) => mirror.info?.agentMode);
  const agent = suggestion.runMode === 'agent';
  const off = agent && agentMode?.enabled === false;
  const Icon = agent ? Workflow : MessageSquare;
  const run = async () => {
    await commands.setRunMode(suggestion.runMode);
    if (agent && project === null) await commands.chooseProject();
    // Without a folder the line cannot run yet; it waits in the composer beside the request for one.
    await commands.send(suggestion.text, suggestion.runMode);
  };
  return (
    <li>
      <button
        type="button"
        disabled={off}
        onClick={() => void run()}
        className="group flex w-full items-center gap-3 px-3.5 py-2.5 text-left transition-colors hover:bg-hover disabled:opacity-60"
      >
        <Icon aria-hidden size={16} strokeWidth={1.75} className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{suggestion.text}</span>
          <span className="block text-sm text-muted">
            {off ? (agentMode.reason ?? 'Agent Mode is switched off.') : suggestion.about}
          </span>
        </span>
        <span className="text-xs text-muted">{agent ? 'Agent Mode' : 'Ask'}</span>
        <ArrowRight
          aria-hidden
          size={14}
          className="shrink-0 text-faint transition-colors group-hover:text-text"
        />
      </button>
    </li>
  );
}

const noModelWords = (missing: string | null) =>
  missing === null ? 'No model is connected' : `The provider “${missing}” is not set up or not running`;

function ConnectModel() {
  const { commands, view } = useApp();
  const models = useMirror((mirror) => mirror.models);
  const chosen = useMirror((mirror) => mirror.settings.model);
  const current = chooseModel(chosen, models);
  const missing = isMissing(current, models);
  if (!missing && current.providerId !== offlineProviderId) return null;
  const server = localServer(models);
  const first = server?.models[0];
  return (
    <section
      aria-label="Connect a model"
      className="mt-4 flex flex-wrap items-center gap-3 rounded-lg border border-line px-3.5 py-2.5"
    >
      <Plug aria-hidden size={16} strokeWidth={1.75} className="shrink-0 text-muted" />
      <div className="min-w-56 flex-1">
        <p className="font-medium">
          {server
            ? `${server.name} is running on this computer`
            : noModelWords(missing ? current.providerId : null)}
        </p>
        <p className="text-sm text-muted">
          {server
            ? `It offers ${server.models.length === 1 ? first : `${server.models.length} models, ${first} first`}. Nothing leaves this computer.`
            : 'Patina works offline. To ask open questions, connect a server that speaks the OpenAI API, or start Ollama.'}
        </p>
      </div>
      {server && first !== undefined ? (
        <Button
          tone="primary"
          onClick={() =>
            void commands.changeSettings({ model: { providerId: server.providerId, model: first } })
          }
        >
          Use {first}
        </Button>
      ) : (
        <Button onClick={() => view.set({ dialog: { kind: 'settings', section: 'models' } })}>
          Connect a model…
        </Button>
      )}
    </section>
  );
}

/** An empty session: suggestions to try, each of which runs, and how to connect a model. */
export function Welcome() {
  return (
    <div className="flex h-full flex-col overflow-y-auto [scrollbar-gutter:stable]">
      <div className="m-auto w-full max-w-column px-5 py-8">
        <Mark />
        <h2 className="mt-4 text-xl font-semibold tracking-tight">What should we look at?</h2>
        <p className="mt-1 text-muted">Ask a question, or let Agent Mode run a plan you can read first.</p>
        <ul
          aria-label="Things to try"
          className="mt-6 divide-y divide-line overflow-hidden rounded-lg border border-line"
        >
          {suggestions.map((suggestion) => (
            <SuggestionRow key={suggestion.text} suggestion={suggestion} />
          ))}
        </ul>
        <ConnectModel />
      </div>
    </div>
  );
}

/** A suggestion: the line to send and its run mode. */
export interface Suggestion {
  readonly text: string;
  readonly about: string;
  readonly runMode: RunMode;
}

export const suggestions: readonly Suggestion[] = [
  { text: 'What can you do?', about: 'What works right now, with and without a model', runMode: 'ask' },
  {
    text: 'Find duplicate files in .',
    about: 'Compares contents, not names; runs without a model',
    runMode: 'agent',
  },
  {
    text: 'Count TODO and FIXME by folder',
    about: 'Searches the project folder; runs without a model',
    runMode: 'agent',
  },
];
