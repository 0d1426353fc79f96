import { offlineProviderId, type ProviderModels } from '#shared/model';
import { ArrowRight, MessageSquare, Plug, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { text, type TextKey } from '../../locales/text';
import { useApp, useMirror, useProject } from '../../store/app-context';
import { chooseModel, isMissing } from '../../store/choose-model';
import { Button } from '../../ui/button';
import type { RunMode } from '#shared/run-mode';

/** Patina's logo: a copper disc, half covered with patina. */
function Mark({ size = 36 }: { readonly size?: number }) {
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 36 36" fill="none">
      <circle cx="18" cy="18" r="18" className="fill-copper" />
      <path
        d="M18 0a18 18 0 0 0-17.600 14.200c2.400 1.500 4.300-.6 6.400.3 2.300 1 1.800 4.200 4.400 5 2.700.8 3.600-2.200 6-1.900 2.900.4 2.500 4.400 5.500 5.100 2.600.6 3.500-2.400 5.900-2.400 2 0 2.700 1.900 4.600 2.300.5-1.500.8-3 .8-4.600A18 18 0 0 0 18 0Z"
        className="fill-accent"
      />
    </svg>
  );
}

/** A discovered local server with at least one model, which needs no configuration. */
function localServer(models: readonly ProviderModels[]): ProviderModels | undefined {
  return models.find(({ source, models: offered }) => source === 'discovered' && offered.length > 0);
}

/** What a suggestion does, and which line it sends if its title is a translation. */
function aboutOf({ line, title, about }: Suggestion): string {
  return text(title) === line ? text(about) : text('welcome.sends', { about: text(about), line });
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
    await commands.send(suggestion.line, suggestion.runMode);
  };
  return (
    <li>
      <button
        type="button"
        disabled={off}
        onClick={() => void run()}
        className="group flex w-full items-center gap-3 px-3.5 py-2.5 text-start transition-colors hover:bg-hover disabled:opacity-60"
      >
        <Icon aria-hidden size={16} strokeWidth={1.75} className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{text(suggestion.title)}</span>
          <span className="block text-sm text-muted">
            {off ? (agentMode.reason ?? text('shared.agentModeOff')) : aboutOf(suggestion)}
          </span>
        </span>
        <span className="text-xs text-muted">{text(agent ? 'shared.agentMode' : 'shared.ask')}</span>
        <ArrowRight
          aria-hidden
          size={14}
          className="shrink-0 text-faint transition-colors group-hover:text-text"
        />
      </button>
    </li>
  );
}

const noModelText = (missing: string | null) =>
  missing === null ? text('welcome.connect.none') : text('welcome.connect.missing', { provider: missing });

function ConnectModel({ modelOffer }: WelcomeProps) {
  const { commands, view } = useApp();
  const models = useMirror((mirror) => mirror.models);
  const chosen = useMirror((mirror) => mirror.settings.model);
  const current = chooseModel(chosen, models);
  const missing = isMissing(current, models);
  if (!missing && current.providerId !== offlineProviderId) return null;
  const server = localServer(models);
  const first = server?.models[0];
  return (
    <section aria-label={text('welcome.connect.label')} className="mt-4 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line px-3.5 py-2.5">
        <Plug aria-hidden size={16} strokeWidth={1.75} className="shrink-0 text-muted" />
        <div className="min-w-56 flex-1">
          <p className="font-medium">
            {server
              ? text('welcome.connect.found', { server: server.name })
              : noModelText(missing ? current.providerId : null)}
          </p>
          <p className="text-sm text-muted">
            {server
              ? text('welcome.connect.offers', { count: server.models.length, first: first ?? '' })
              : text('welcome.connect.about')}
          </p>
        </div>
        {server && first !== undefined ? (
          <Button
            tone="primary"
            onClick={() =>
              void commands.changeSettings({ model: { providerId: server.providerId, model: first } })
            }
          >
            {text('welcome.connect.use', { model: first })}
          </Button>
        ) : (
          <Button onClick={() => view.set({ dialog: { kind: 'settings', section: 'models' } })}>
            {text('welcome.connect.open')}
          </Button>
        )}
      </div>
      {!server && modelOffer}
    </section>
  );
}

interface WelcomeProps {
  /** The card of the model that Patina can download; shown while there is no other model. */
  readonly modelOffer: ReactNode;
}

/** An empty session: suggestions to try, each of which runs, and how to connect a model. */
export function Welcome({ modelOffer }: WelcomeProps) {
  return (
    <div className="flex h-full flex-col overflow-y-auto [scrollbar-gutter:stable]">
      <div className="m-auto w-full max-w-column px-5 py-8">
        <Mark />
        <h2 className="mt-4 text-xl font-semibold tracking-tight">{text('welcome.title')}</h2>
        <p className="mt-1 text-muted">{text('welcome.about')}</p>
        <ul
          aria-label={text('welcome.suggestions')}
          className="mt-6 divide-y divide-line overflow-hidden rounded-lg border border-line"
        >
          {suggestions.map((suggestion) => (
            <SuggestionRow key={suggestion.line} suggestion={suggestion} />
          ))}
        </ul>
        <ConnectModel modelOffer={modelOffer} />
      </div>
    </div>
  );
}

/** A line to send, under a title in the language of the window. */
export interface Suggestion {
  /** Patina understands it in this wording, so it is not translated. */
  readonly line: string;
  readonly title: TextKey;
  readonly about: TextKey;
  readonly runMode: RunMode;
}

export const suggestions: readonly Suggestion[] = [
  { line: 'What can you do?', title: 'welcome.help', about: 'welcome.aboutHelp', runMode: 'ask' },
  {
    line: 'Find duplicate files in this folder',
    title: 'welcome.duplicates',
    about: 'welcome.aboutDuplicates',
    runMode: 'agent',
  },
  {
    line: 'Count TODO and FIXME by folder',
    title: 'welcome.todos',
    about: 'welcome.aboutTodos',
    runMode: 'agent',
  },
];
