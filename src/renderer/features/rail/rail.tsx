import { ChevronRight, PenLine, Search, Settings2 } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { keysOf } from '../../actions/action-rows';
import { useApp, useMirror } from '../../store/app-context';
import { groupSessions } from '../../store/session-view';
import { classNames } from '../../ui/class-names';
import { Keys } from '../../ui/keys';
import { SessionRow } from './session-row';

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

/** Sessions drawn at first; older ones follow on request, so ten thousand cost as little as a hundred. */
const sessionsShown = 200;

function SessionList() {
  const summaries = useMirror((mirror) => mirror.summaries);
  const ready = useMirror((mirror) => mirror.info !== null);
  const [shown, setShown] = useState(sessionsShown);
  const [archiveOpen, setArchiveOpen] = useState(false);
  const { groups, archived } = useMemo(() => groupSessions(summaries, Date.now()), [summaries]);
  const total = groups.reduce((sum, group) => sum + group.sessions.length, 0);
  let left = shown;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pb-2">
      {ready && total === 0 && (
        <p className="px-4 py-3 text-sm text-muted">Sessions appear here once you send a message.</p>
      )}
      {groups.map((group) => {
        const sessions = group.sessions.slice(0, Math.max(0, left));
        left -= sessions.length;
        return sessions.length === 0 ? null : (
          <section key={group.label} aria-label={group.label}>
            <h2 className="px-4 pt-3 pb-1 text-2xs font-medium text-muted">{group.label}</h2>
            <ul>
              {sessions.map((summary) => (
                <SessionRow key={summary.id} summary={summary} />
              ))}
            </ul>
          </section>
        );
      })}
      {total > shown && (
        <button
          type="button"
          onClick={() => setShown(shown + sessionsShown)}
          className="mx-2 mt-1 h-8 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-text"
        >
          Show older ({total - shown})
        </button>
      )}
      {archived.length > 0 && (
        <section aria-label="Archived">
          <button
            type="button"
            aria-expanded={archiveOpen}
            onClick={() => setArchiveOpen(!archiveOpen)}
            className="mx-2 mt-3 flex h-7 items-center gap-1 rounded-md px-2 text-2xs font-medium text-muted hover:bg-hover hover:text-text"
          >
            <ChevronRight
              aria-hidden
              size={12}
              className={classNames('transition-transform', archiveOpen && 'rotate-90')}
            />
            Archived <span className="numbers">{archived.length}</span>
          </button>
          {archiveOpen && (
            <ul>
              {archived.slice(0, sessionsShown).map((summary) => (
                <SessionRow key={summary.id} summary={summary} />
              ))}
            </ul>
          )}
        </section>
      )}
    </div>
  );
}

/** The list of sessions with what begins one, finds one, and the settings. */
export function Rail() {
  const { view, commands } = useApp();
  return (
    <nav aria-label="Sessions" className="flex h-full min-w-0 flex-col bg-rail">
      <div className="flex flex-col gap-px p-2 pb-1">
        <RailAction
          icon={<PenLine aria-hidden size={16} strokeWidth={1.75} />}
          label="New session"
          keys={keysOf('new-session')}
          onClick={commands.newSession}
        />
        <RailAction
          icon={<Search aria-hidden size={16} strokeWidth={1.75} />}
          label="Search"
          keys={keysOf('palette')}
          onClick={() => view.set({ dialog: { kind: 'palette' } })}
        />
      </div>
      <SessionList />
      <div className="border-t border-line p-2">
        <RailAction
          icon={<Settings2 aria-hidden size={16} strokeWidth={1.75} />}
          label="Settings"
          keys={keysOf('settings')}
          onClick={() => view.set({ dialog: { kind: 'settings', section: 'appearance' } })}
        />
      </div>
    </nav>
  );
}
