import type { WorkspaceView } from '#shared/workspace-call';
import { Check, CircleAlert, X } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { BindingPart } from './binding-part';
import { ChangesTab, type Compared } from './changes-tab';
import { ChoicesPart, NextLinePart } from './choices-part';
import { ContentTab } from './content-tab';
import { FindingsTab } from './findings-tab';
import { HistoryTab } from './history-tab';
import { SnapshotsPart } from './snapshots-part';
import { useWorkspace, type Scope, type Workspace } from './use-workspace';
import { folderName } from '../../ui/folder-name';

type Tab = 'changes' | 'findings' | 'content' | 'history';

interface Shown {
  readonly workspace: Workspace;
  readonly view: WorkspaceView;
}

function OutcomeLine({ outcome }: Pick<Workspace, 'outcome'>) {
  const Icon = outcome?.good ? Check : CircleAlert;
  const ink = outcome?.good ? 'text-accent-text' : 'text-danger-text';
  return (
    <p role="status" className={`flex gap-1.5 text-sm wrap-anywhere ${ink}`}>
      {outcome && outcome.text !== '' && (
        <>
          <Icon aria-hidden size={15} className="mt-0.5 shrink-0" />
          <span className="min-w-0">{outcome.text}</span>
        </>
      )}
    </p>
  );
}

function Side({ workspace, view }: Shown) {
  return (
    <div className="flex w-84 shrink-0 flex-col gap-4 overflow-y-auto border-e border-line p-4 max-narrow:w-full max-narrow:overflow-visible max-narrow:border-e-0 max-narrow:border-b">
      <BindingPart workspace={workspace} view={view} />
      <OutcomeLine outcome={workspace.outcome} />
      <SnapshotsPart workspace={workspace} view={view} />
      <ChoicesPart workspace={workspace} view={view} />
      <NextLinePart view={view} />
    </div>
  );
}

/** The initial tab: a refusal, else pending changes, else the content. */
function firstTab({ state }: WorkspaceView): Tab {
  if (state.sync?.status === 'rejected') return 'findings';
  return state.pending || state.waiting ? 'changes' : 'content';
}

const trigger =
  'numbers h-7 rounded-md px-2.5 text-sm text-muted hover:text-text data-[state=active]:bg-active data-[state=active]:text-text';
const pane =
  'relative min-h-0 grow overflow-y-auto p-4 focus-visible:-outline-offset-2 max-narrow:overflow-visible';

function Details({ workspace, view }: Shown) {
  const [chosen, setChosen] = useState<Tab | null>(null);
  const [compared, setCompared] = useState<Compared | null>(null);
  const tab = chosen ?? firstTab(view);
  const compare = (next: Compared | null) => {
    setCompared(next);
    setChosen('changes');
  };
  const { length: findings } = view.findings;
  const staged = view.state.pending !== null || view.state.waiting !== null;
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(next) => setChosen(next as Tab)}
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      <Tabs.List
        aria-label={text('workspace.details')}
        className="flex h-11 shrink-0 items-center gap-0.5 border-b border-line px-2"
      >
        <Tabs.Trigger value="changes" className={trigger}>
          {text('workspace.tab.changes')}
        </Tabs.Trigger>
        <Tabs.Trigger value="findings" className={trigger}>
          {text('workspace.tab.findings', { count: findings })}
        </Tabs.Trigger>
        <Tabs.Trigger value="content" className={trigger}>
          {text('workspace.tab.content')}
        </Tabs.Trigger>
        <Tabs.Trigger value="history" className={trigger}>
          {text('workspace.tab.history')}
        </Tabs.Trigger>
      </Tabs.List>
      <Tabs.Content value="changes" className={pane}>
        <ChangesTab workspace={workspace} staged={staged} compared={compared} onCompare={compare} />
      </Tabs.Content>
      <Tabs.Content value="findings" className={pane}>
        <FindingsTab view={view} />
      </Tabs.Content>
      <Tabs.Content value="content" className={pane}>
        <ContentTab contents={view.contents} />
      </Tabs.Content>
      <Tabs.Content value="history" className={pane}>
        <HistoryTab workspace={workspace} view={view} onCompare={compare} />
      </Tabs.Content>
    </Tabs.Root>
  );
}

/** The agent workspace: what is bound, active and pending, its changes, and when they can be adopted. */
export function WorkspacePanel() {
  const { view: window } = useApp();
  const workspace = useWorkspace();
  const { view, problem, scope, reload } = workspace;
  const close = () => window.set({ dialog: null });
  return (
    <Modal
      label={text('workspace.title')}
      onClose={close}
      className="mt-[6vh] h-[84vh] w-[68rem] max-w-[calc(100vw-2rem)] open:flex open:flex-col"
    >
      <header className="flex h-11 shrink-0 items-center gap-3 border-b border-line ps-4 pe-2">
        <h2 className="text-sm font-semibold">{text('workspace.title')}</h2>
        <ScopeSwitch workspace={workspace} />
        <span className="flex-1" />
        <IconButton bare icon={X} label={text('workspace.close')} onClick={close} />
      </header>
      <div className="flex min-h-0 grow max-narrow:flex-col max-narrow:overflow-y-auto">
        {problem && (
          <div className="w-full p-4">
            <ErrorCard title={text('workspace.unreadable')} error={problem} onRetry={reload} />
          </div>
        )}
        {view && (
          <>
            <Side key={`side ${scope}`} workspace={workspace} view={view} />
            <Details key={`details ${scope}`} workspace={workspace} view={view} />
          </>
        )}
      </div>
    </Modal>
  );
}
const item =
  'h-6 rounded-sm px-2 text-xs font-medium whitespace-nowrap text-muted hover:text-text aria-pressed:bg-canvas aria-pressed:text-text aria-pressed:shadow-raised';
/** Selects whose workspace is shown; without a session, only the default for new ones. */
function ScopeSwitch({ workspace }: { readonly workspace: Workspace }) {
  const { scope, setScope, hasSession, project } = workspace;
  const versionAtOpen =
    project === null
      ? text('workspace.scope.project')
      : text('workspace.scope.projectIn', { folder: folderName(project) });
  if (!hasSession) return <p className="min-w-0 truncate text-xs text-muted">{versionAtOpen}</p>;
  const button = (value: Scope, label: string) => (
    <button
      type="button"
      aria-pressed={scope === value}
      className={`${item} max-w-56 truncate`}
      onClick={() => setScope(value)}
    >
      {label}
    </button>
  );
  return (
    <div
      role="group"
      aria-label={text('workspace.scope.label')}
      className="flex min-w-0 rounded-md bg-active p-0.5"
    >
      {button('session', text('workspace.scope.session'))}
      {button('project', versionAtOpen)}
    </div>
  );
}
