import { useRef, type CSSProperties, type ReactNode } from 'react';
import { listedPriceOf } from '#shared/model';
import { defaultSettings } from '#shared/setting-rows';
import { text } from '../locales/text';
import { Composer } from '../features/composer/composer';
import { DropZone } from '../features/composer/drop-zone';
import { QueuedLines } from '../features/composer/queued-lines';
import { LineContentChip } from '../features/composer/line-content-chip';
import { ProjectCard } from '../features/composer/project-card';
import { WorkflowCard } from '../features/workflows/workflow-card';
import { PlaceAtHead } from '../features/control-plane/sent-in';
import { ModeChip } from '../features/control-plane/mode-chip';
import { WorkContextBar } from '../features/control-plane/work-context-bar';
import { Header } from '../features/header/header';
import { FailureCard, Notices } from '../features/notices/notices';
import { NeedsYou } from '../features/rail/needs-you';
import { Rail } from '../features/rail/rail';
import { useApp, useCurrentSession, useMirror, useView } from '../store/app-context';
import { CardDraftsOf } from '../store/card-drafts';
import { serverQuestions } from '../store/drafts';
import { Divider } from '../ui/divider';
import { useMediaQuery } from '../ui/use-media-query';
import { Conversation } from './conversation';
import { classNames } from '../ui/class-names';
import { lazyPart } from '../ui/lazy-part';

const ElicitationForm = lazyPart(
  async () => (await import('../features/elicitation/elicitation-form')).ElicitationForm,
);

/** The oldest pending elicitation, above the composer. */
function ElicitationCard() {
  const elicitations = useMirror((mirror) => mirror.elicitations);
  const [first] = elicitations;
  return first ? (
    <CardDraftsOf owner={serverQuestions}>
      <ElicitationForm key={first.id} elicitation={first} behind={elicitations.length - 1} />
    </CardDraftsOf>
  ) : null;
}

const railRange = { min: 180, max: 420 };
const inspectorRange = { min: 320, max: 900 };

function RailOverlay() {
  const { view } = useApp();
  return (
    <div className="fixed inset-0 z-30 flex">
      <Rail className="w-64 max-w-[80vw] animate-appear shadow-overlay" />
      <button
        type="button"
        aria-label={text('app.closeRail')}
        className="flex-1 bg-scrim"
        onClick={() => view.set({ railOpen: false })}
      />
    </div>
  );
}

/** The first tab stop of the window, visible while it has the focus. */
function SkipLink() {
  const { view } = useApp();
  return (
    <button
      type="button"
      onClick={() => view.focusComposer()}
      className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:start-2 focus:z-50 focus:h-8 focus:rounded-md focus:bg-overlay focus:px-3 focus:text-sm focus:text-text focus:shadow-overlay"
    >
      {text('app.skip')}
    </button>
  );
}

function Main({ railHidden }: { readonly railHidden: boolean }) {
  return (
    <DropZone>
      <Header railHidden={railHidden} inbox={<NeedsYou compact />} />
      <Notices />
      <div className="flex min-h-0 flex-1 flex-col">
        <Conversation />
      </div>
      {/* The same gutter as the conversation's scrollbar, so that both columns align. */}
      <div className="shrink-0 overflow-hidden [scrollbar-gutter:stable]">
        <div className="mx-auto w-full max-w-column px-5 pt-1 pb-4">
          <FailureCard />
          <ProjectCard />
          <WorkflowCard />
          <ElicitationCard />
          <PlaceAtHead />
          <WorkContextBar />
          <LineContentChip />
          <QueuedLines />
          <Composer>
            <ModeChip />
          </Composer>
        </div>
      </div>
    </DropZone>
  );
}

/**
 * Rail, conversation and inspector; below 640 px the rail becomes a button, below 900 px the inspector an
 * overlay.
 */
export function Layout() {
  const { commands } = useApp();
  const frame = useRef<HTMLDivElement>(null);
  const railWidth = useMirror((mirror) => mirror.settings.railWidth);
  const inspectorWidth = useMirror((mirror) => mirror.settings.inspectorWidth);
  const inspectorOpen = useMirror((mirror) => mirror.settings.inspectorOpen);
  const railOpen = useView((view) => view.railOpen);
  const narrow = useMediaQuery('(max-width: 639px)');
  const railless = useView((view) => view.ownSession !== null);
  const railHidden = narrow && !railless;
  const overlaid = useMediaQuery('(max-width: 899px)');
  // A drag changes a CSS variable, not React state, so nothing renders until it ends.
  const drag = (name: string, size: number) => frame.current?.style.setProperty(name, `${size}px`);
  const widths = { '--rail': `${railWidth}px`, '--inspector': `${inspectorWidth}px` } as CSSProperties;
  return (
    <div ref={frame} style={widths} className="flex h-full overflow-clip">
      <SkipLink />
      {!railHidden && !railless && (
        <Rail className="w-(--rail) shrink-0">
          <Divider
            label={text('app.railWidth')}
            panel="start"
            size={railWidth}
            initial={defaultSettings.railWidth}
            {...railRange}
            onDrag={(size) => drag('--rail', size)}
            onResize={(size) => void commands.changeSettings({ railWidth: size })}
          />
        </Rail>
      )}
      <Main railHidden={railHidden} />
      {inspectorOpen && (
        <InspectorPanel overlaid={overlaid}>
          <Divider
            label={text('app.inspectorWidth')}
            panel="end"
            size={inspectorWidth}
            initial={defaultSettings.inspectorWidth}
            {...inspectorRange}
            onDrag={(size) => drag('--inspector', size)}
            onResize={(size) => void commands.changeSettings({ inspectorWidth: size })}
          />
        </InspectorPanel>
      )}
      {railHidden && railOpen && <RailOverlay />}
    </div>
  );
}
const Inspector = lazyPart(async () => (await import('../features/inspector/inspector')).Inspector);

interface InspectorPanelProps {
  readonly overlaid: boolean;
  /** The divider at the panel's edge. */
  readonly children: ReactNode;
}

/** The inspector at the end: beside the conversation, or over it in a narrow window. */
function InspectorPanel({ overlaid, children }: InspectorPanelProps) {
  const { commands, view } = useApp();
  const session = useCurrentSession((current) => current);
  const { turn, tab } = useView((state) => state.inspected);
  const models = useMirror((mirror) => mirror.models);
  return (
    <aside
      aria-label={text('app.inspector')}
      className={classNames(
        'h-full shrink-0 bg-canvas',
        overlaid
          ? 'fixed inset-y-0 end-0 z-20 w-(--inspector) max-w-[92vw] border-s border-line shadow-overlay'
          : 'relative w-(--inspector) max-w-[50vw]',
      )}
    >
      {children}
      <Inspector
        session={session}
        turn={turn}
        tab={tab}
        onTab={(next) => view.set({ inspected: { turn, tab: next } })}
        onTurn={(next) => view.set({ inspected: { turn: next, tab } })}
        loadPrompt={commands.previewPrompt}
        loadSteps={commands.sentSteps}
        loadImage={commands.snapshotImage}
        readItem={commands.readItem}
        previewRoute={commands.previewRoute}
        onShowQuestion={(asking) => {
          if (overlaid) void commands.toggleInspector();
          view.showTurn(asking);
          // A card that is not on the page takes the focus itself when it appears.
          document.querySelector<HTMLElement>('[data-question]')?.focus();
        }}
        onRun={(turn, action) => void commands.controlRun(turn, action)}
        onStop={(stopped) => void commands.stop(stopped)}
        priceOf={(model) => listedPriceOf(model, models)}
        onCopy={(text) => void commands.copy(text)}
        onClose={() => void commands.toggleInspector()}
      />
    </aside>
  );
}
