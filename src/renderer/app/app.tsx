import { Direction } from 'radix-ui';
import { useEffect, type ReactNode } from 'react';
import { useCalledSession, useMenu, useRequests, useShortcuts } from '../actions/use-shortcuts';
import { Toasts } from '../features/notices/notices';
import { AppContext, useMirror, useView } from '../store/app-context';
import { CardDraftsOf } from '../store/card-drafts';
import { newSessionDraft } from '../store/drafts';
import { PictureContext, SaveTextContext } from '../ui/markdown/markdown-context';
import { text } from '../locales/text';
import type { WindowApp } from '../store/start-window';
import { ArtifactCalls } from '../features/run-parts/artifact-calls';
import { Layout } from './layout';
import { writeTimesAs } from '../ui/format';
import { DialogGuardContext } from '../ui/modal';
import { TooltipLayer } from '../ui/tooltip';
import { lazyPart } from '../ui/lazy-part';
import type { OpenDialog } from '../store/view-state';

const StartRefused = lazyPart(
  async () => (await import('../features/start-refused/start-refused')).StartRefused,
);

function useTheme(): void {
  const theme = useMirror((mirror) => mirror.settings.theme);
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'system') delete dataset['theme'];
    else dataset['theme'] = theme;
  }, [theme]);
}

/** Puts the other settings of the look onto the page; the style sheet has a rule for each value. */
function useLook(): void {
  const fontSize = useMirror((mirror) => mirror.settings.fontSize);
  const density = useMirror((mirror) => mirror.settings.density);
  const codeTheme = useMirror((mirror) => mirror.settings.codeTheme);
  useEffect(() => {
    Object.assign(document.documentElement.dataset, { fontSize, density, codeTheme });
  }, [fontSize, density, codeTheme]);
}

function useClockSetting(): void {
  const clock = useMirror((mirror) => mirror.settings.clock);
  useEffect(() => writeTimesAs(clock), [clock]);
}

/** Names the window of one session after it; the main window is named after the app. */
function useWindowTitle(): void {
  const own = useView((view) => view.ownSession);
  const title = useMirror(({ summaries }) => (own === null ? undefined : summaries[own]?.title));
  useEffect(() => {
    if (own !== null) document.title = title || text('shared.newSession');
  }, [own, title]);
}

/** The side on which the window begins. */
function useDirection(): 'ltr' | 'rtl' {
  const chosen = useMirror((mirror) => mirror.settings.direction);
  // Every language that the window has is written from left to right.
  const direction = chosen === 'auto' ? 'ltr' : chosen;
  useEffect(() => {
    document.documentElement.dir = direction;
  }, [direction]);
  return direction;
}

/** In a component of its own, so that another session renders only what shows something of it. */
function CardDraftsOfSession({ children }: { readonly children: ReactNode }) {
  const sessionId = useView((view) => view.sessionId);
  return <CardDraftsOf owner={sessionId ?? newSessionDraft}>{children}</CardDraftsOf>;
}

function WholeWindow() {
  useShortcuts();
  useRequests();
  useCalledSession();
  useWindowTitle();
  useMenu();
  return (
    <CardDraftsOfSession>
      <Layout />
      <Toasts />
      <Dialogs />
      <LiveRegion />
    </CardDraftsOfSession>
  );
}

function Window() {
  const refused = useView((view) => view.refused);
  useTheme();
  useLook();
  useClockSetting();
  if (!refused) return <WholeWindow />;
  return (
    <>
      <StartRefused error={refused} />
      <Toasts />
      <LiveRegion />
    </>
  );
}

function Root({ commands, view }: Pick<WindowApp, 'commands' | 'view'>) {
  return (
    <Direction.Provider dir={useDirection()}>
      <SaveTextContext value={commands.saveText}>
        <PictureContext value={commands}>
          <ArtifactCalls value={commands}>
            <DialogGuardContext value={view.guardDialog}>
              <Window />
            </DialogGuardContext>
          </ArtifactCalls>
          <TooltipLayer />
        </PictureContext>
      </SaveTextContext>
    </Direction.Provider>
  );
}

export function App({ app }: { readonly app: WindowApp }) {
  return (
    <AppContext value={app}>
      <Root commands={app.commands} view={app.view} />
    </AppContext>
  );
}
const Palette = lazyPart(async () => (await import('../features/palette/palette')).Palette);
const SearchDialog = lazyPart(async () => (await import('../features/palette/search-dialog')).SearchDialog);
const ShortcutList = lazyPart(async () => (await import('../features/palette/shortcut-list')).ShortcutList);
const HelpPanel = lazyPart(async () => (await import('../features/help/help-panel')).HelpPanel);
const DdrPanel = lazyPart(async () => (await import('../features/ddrs/ddr-panel')).DdrPanel);
const PickerDialog = lazyPart(async () => (await import('../features/picker/picker-dialog')).PickerDialog);
const RunDiffDialog = lazyPart(async () => (await import('../features/run/run-diff-dialog')).RunDiffDialog);
const ModelDialog = lazyPart(async () => (await import('../features/composer/model-dialog')).ModelDialog);
const SignInDialog = lazyPart(async () => (await import('../features/settings/sign-in-dialog')).SignInDialog);
const WriteCodeDialog = lazyPart(
  async () => (await import('../features/message/write-code-dialog')).WriteCodeDialog,
);
const RecipeDialog = lazyPart(async () => (await import('../features/run/recipe-dialog')).RecipeDialog);
const PlanReview = lazyPart(async () => (await import('../features/inspector/plan-review')).PlanReview);
const WorkflowPanel = lazyPart(
  async () => (await import('../features/workflow-authoring/workflow-panel')).WorkflowPanel,
);
const WorkspacePanel = lazyPart(
  async () => (await import('../features/workspace/workspace-panel')).WorkspacePanel,
);
const SettingsDialog = lazyPart(
  async () => (await import('../features/settings/settings-dialog')).SettingsDialog,
);

/** Dialogs without parameters. */
const plain = {
  palette: Palette,
  shortcuts: ShortcutList,
  help: HelpPanel,
  ddrs: DdrPanel,
  workspace: WorkspacePanel,
} as const;

/** The picker of a command, or of the candidates for an ambiguous line. */
function Picker({ dialog }: { dialog: Extract<OpenDialog, { kind: 'picker' }> }) {
  if ('turn' in dialog) return <PickerDialog key={`turn ${dialog.turn}`} turn={dialog.turn} />;
  const { commandId, highlightId } = dialog;
  return (
    <PickerDialog key={commandId} commandId={commandId} {...(highlightId !== undefined && { highlightId })} />
  );
}

type ContentDialog = 'search' | 'picker' | 'recipe' | 'plan' | 'write-code' | 'run-diff';

/** What is set up for more than one session, and dialogs without parameters. */
function Panels({ dialog }: { dialog: Exclude<OpenDialog, { kind: ContentDialog }> }) {
  switch (dialog.kind) {
    case 'model':
      return <ModelDialog model={dialog.model} />;
    case 'sign-in':
      return <SignInDialog server={dialog.server} />;
    case 'workflows':
      return <WorkflowPanel initial={dialog.workflowId ?? null} />;
    case 'settings':
      return <SettingsDialog section={dialog.section} setting={dialog.setting} />;
    default: {
      const Plain = plain[dialog.kind];
      return <Plain />;
    }
  }
}

/** The open dialog, if any. */
function Dialogs() {
  const dialog = useView((view) => view.dialog);
  if (!dialog) return null;
  switch (dialog.kind) {
    case 'search':
      return <SearchDialog initial={dialog.text} />;
    case 'picker':
      return <Picker dialog={dialog} />;
    case 'recipe':
      return <RecipeDialog key={dialog.turn} turn={dialog.turn} />;
    case 'plan':
      return <PlanReview key={dialog.turn} turn={dialog.turn} />;
    case 'write-code':
      return <WriteCodeDialog code={dialog.code} fence={dialog.fence} />;
    case 'run-diff':
      return <RunDiffDialog runId={dialog.runId} />;
    default:
      return <Panels dialog={dialog} />;
  }
}

/** Announces events to screen readers. */
function LiveRegion() {
  const { n, text: announced } = useView((view) => view.announcement);
  // A no-break space after every other announcement makes the same text twice in a row a change, so it is
  // announced twice.
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {announced}
      {n % 2 === 1 ? '\u00a0' : ''}
    </div>
  );
}
