import { X, Workflow } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useMemo } from 'react';
import { turnAt, type SessionState, type Turn } from '#shared/session-state';
import { activePath } from '#shared/turn-tree';
import { text } from '../../locales/text';
import type { InspectorProps, InspectorTab } from '../../store/turn-actions';
import { IconButton } from '../../ui/icon-button';
import { MarkdownActionsContext } from '../../ui/markdown/markdown-context';
import { ArtifactsTab } from './artifacts-tab';
import { EmptyState } from './empty-state';
import { RouteTab } from './route-tab';
import { RunTab } from './run-tab';
import { ToolsTab } from './tools-tab';
import { TraceTab } from './trace-tab';
import { PromptTab } from './prompt-tab';
import { SentTab } from './sent-tab';
import { UsageTab } from './usage-tab';

const tabs: readonly { readonly id: InspectorTab; readonly name: string }[] = [
  { id: 'run', name: text('inspector.tabs.run') },
  { id: 'trace', name: text('inspector.tabs.trace') },
  { id: 'artifacts', name: text('inspector.tabs.artifacts') },
  { id: 'prompt', name: text('inspector.tabs.prompt') },
  { id: 'usage', name: text('inspector.tabs.usage') },
  { id: 'tools', name: text('inspector.tabs.tools') },
  { id: 'route', name: text('inspector.tabs.route') },
];

const newestWith = (session: SessionState, part: 'run' | 'route' | 'steps'): Turn | undefined =>
  activePath(session).findLast((turn) => turn[part]);

/** The requested turn, else the newest with content for the tab. */
function turnToShow({ session, turn, tab }: InspectorProps): Turn | undefined {
  if (!session) return undefined;
  return turn === null ? newestWith(session, tab === 'trace' ? 'route' : 'run') : turnAt(session, turn);
}

/** The turns that the prompt tab can show. */
function promptTurns({ session, turn }: InspectorProps) {
  if (!session) return { turn: undefined, newest: undefined };
  return { turn: turn === null ? undefined : turnAt(session, turn), newest: newestWith(session, 'steps') };
}

function TabBar({ onClose }: { onClose: () => void }) {
  return (
    <div className="flex h-11 shrink-0 items-center border-b border-line ps-2 pe-2">
      <Tabs.List
        aria-label={text('inspector.name')}
        className="flex min-w-0 grow gap-px overflow-x-auto [scrollbar-width:none]"
      >
        {tabs.map(({ id, name }) => (
          <Tabs.Trigger
            key={id}
            value={id}
            className="h-7 shrink-0 rounded-md px-1.5 text-sm focus-visible:-outline-offset-2 text-muted hover:text-text data-[state=active]:bg-active data-[state=active]:text-text"
          >
            {name}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      <IconButton icon={X} label={text('inspector.close')} onClick={onClose} />
    </div>
  );
}

/** Positioned, so that visually hidden text scrolls with its parent and does not make any ancestor taller. */
const pane = 'relative min-h-0 grow overflow-y-auto focus-visible:-outline-offset-2';

/** The panel beside the conversation: a run in full, its artifacts, and the model's prompts. */
export function Inspector(props: InspectorProps) {
  const {
    tab,
    onTab,
    onTurn,
    loadPrompt,
    loadSteps,
    loadImage,
    readItem,
    previewRoute,
    onShowQuestion,
    onRun,
    onStop,
    onCopy,
    onClose,
  } = props;
  const shown = turnToShow(props);
  const actions = useMemo(() => ({ onCopy, onOpenLink: () => undefined }), [onCopy]);
  return (
    <MarkdownActionsContext value={actions}>
      <Tabs.Root
        value={tab}
        className="flex h-full flex-col"
        onValueChange={(value) => onTab(value as InspectorTab)}
      >
        <h2 className="sr-only">{text('inspector.name')}</h2>
        <TabBar onClose={onClose} />
        <Tabs.Content value="run" className={pane}>
          {shown?.run ? (
            <RunTab
              key={shown.run.runId}
              run={shown.run}
              turn={shown.turn}
              onShowQuestion={onShowQuestion}
              onCopy={onCopy}
              onRun={onRun}
              onStop={onStop}
            />
          ) : (
            <EmptyState
              icon={Workflow}
              title={shown ? text('inspector.run.noPlan') : text('inspector.run.none')}
            >
              {text('inspector.run.empty')}
            </EmptyState>
          )}
        </Tabs.Content>
        <Tabs.Content value="trace" className={pane}>
          <TraceTab turn={shown} />
        </Tabs.Content>
        <Tabs.Content value="artifacts" className={pane}>
          <ArtifactsTab run={shown?.run} onCopy={onCopy} />
        </Tabs.Content>
        <Tabs.Content value="prompt" className={pane}>
          <PromptPane
            {...promptTurns(props)}
            onTurn={onTurn}
            loadPrompt={loadPrompt}
            loadSteps={loadSteps}
            loadImage={loadImage}
            readItem={readItem}
            onCopy={onCopy}
          />
        </Tabs.Content>
        <Tabs.Content value="usage" className={pane}>
          <UsageTab
            session={props.session}
            turn={props.turn === null ? undefined : shown}
            priceOf={props.priceOf}
          />
        </Tabs.Content>
        <Tabs.Content value="tools" className={pane}>
          <ToolsTab loadPrompt={loadPrompt} />
        </Tabs.Content>
        <Tabs.Content value="route" className={pane}>
          <RouteTab previewRoute={previewRoute} />
        </Tabs.Content>
      </Tabs.Root>
    </MarkdownActionsContext>
  );
}
const item =
  'numbers h-6 rounded-sm px-2 text-xs font-medium text-muted hover:text-text aria-pressed:bg-canvas aria-pressed:text-text aria-pressed:shadow-raised';

interface PromptPaneProps extends Pick<
  InspectorProps,
  'loadPrompt' | 'loadSteps' | 'loadImage' | 'readItem' | 'onCopy' | 'onTurn'
> {
  /** The requested turn; undefined shows the prompt of the next line. */
  readonly turn: Turn | undefined;
  /** The newest turn with a model call. */
  readonly newest: Turn | undefined;
}

/** The prompt that the model would receive next, or received for a past turn. */
function PromptPane({ turn, newest, onTurn, loadPrompt, ...rest }: PromptPaneProps) {
  const past = turn ?? newest;
  return (
    <>
      {past && (
        <div className="px-4 pt-3">
          <div
            role="group"
            aria-label={text('inspector.prompt.which')}
            className="flex w-fit rounded-md bg-active p-0.5"
          >
            <button type="button" aria-pressed={!turn} className={item} onClick={() => onTurn(null)}>
              {text('inspector.prompt.next')}
            </button>
            <button type="button" aria-pressed={!!turn} className={item} onClick={() => onTurn(past.turn)}>
              {text('inspector.prompt.sentTurn', { turn: past.turn + 1 })}
            </button>
          </div>
        </div>
      )}
      {turn ? (
        <SentTab key={turn.turn} turn={turn} {...rest} />
      ) : (
        <PromptTab loadPrompt={loadPrompt} {...rest} />
      )}
    </>
  );
}
