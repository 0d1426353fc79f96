import { FileCheck2, PackageOpen, PenLine, Search, Settings2, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../../locales/text';
import { useKeysOf } from '../../actions/action-rows';
import { useApp } from '../../store/app-context';
import { classNames } from '../../ui/class-names';
import { Keys } from '../../ui/keys';
import { NeedsYou } from './needs-you';
import { SessionList } from './session-list';

interface RailActionProps {
  readonly icon: ReactNode;
  readonly label: string;
  readonly keys?: string | undefined;
  readonly onClick: () => void;
}

function RailAction({ icon, label, keys, onClick }: RailActionProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-sm text-text transition-colors hover:bg-hover"
    >
      <span className="text-muted">{icon}</span>
      <span className="flex-1 text-left">{label}</span>
      {keys && <Keys keys={keys} />}
    </button>
  );
}

/** The first tab stop of the window, visible while it has the focus. */
function SkipLink() {
  const { view } = useApp();
  return (
    <button
      type="button"
      onClick={() => view.focusComposer()}
      className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:h-8 focus:rounded-md focus:bg-overlay focus:px-3 focus:text-sm focus:text-text focus:shadow-overlay"
    >
      {text('rail.skip')}
    </button>
  );
}

export interface RailProps {
  readonly className?: string;
  /** The divider at the rail's edge, if any. */
  readonly children?: ReactNode;
}

/** The session list, with buttons for a new session, search and settings. */
export function Rail({ className, children }: RailProps) {
  const { view, commands } = useApp();
  return (
    <nav
      aria-label={text('rail.name')}
      className={classNames('relative flex h-full min-w-0 flex-col bg-rail', className)}
    >
      <SkipLink />
      <div className="flex flex-col gap-px p-2 pb-1">
        <RailAction
          icon={<PenLine aria-hidden size={16} strokeWidth={1.75} />}
          label={text('shared.newSession')}
          keys={useKeysOf('new-session')}
          onClick={commands.newSession}
        />
        <RailAction
          icon={<Search aria-hidden size={16} strokeWidth={1.75} />}
          label={text('rail.search')}
          keys={useKeysOf('palette')}
          onClick={() => view.set({ dialog: { kind: 'palette' } })}
        />
        <NeedsYou />
      </div>
      <SessionList />
      <div className="border-t border-line p-2">
        <RailAction
          icon={<FileCheck2 aria-hidden size={16} strokeWidth={1.75} />}
          label={text('ddrs.title')}
          onClick={() => view.set({ dialog: { kind: 'ddrs' } })}
        />
        <RailAction
          icon={<Workflow aria-hidden size={16} strokeWidth={1.75} />}
          label={text('rail.workflows')}
          onClick={() => view.set({ dialog: { kind: 'workflows' } })}
        />
        <RailAction
          icon={<PackageOpen aria-hidden size={16} strokeWidth={1.75} />}
          label={text('rail.workspace')}
          keys={useKeysOf('workspace')}
          onClick={() => view.set({ dialog: { kind: 'workspace' } })}
        />
        <RailAction
          icon={<Settings2 aria-hidden size={16} strokeWidth={1.75} />}
          label={text('rail.settings')}
          keys={useKeysOf('settings')}
          onClick={() => view.set({ dialog: { kind: 'settings', section: 'appearance' } })}
        />
      </div>
      {children}
    </nav>
  );
}
