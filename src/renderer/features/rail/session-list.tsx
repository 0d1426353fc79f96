import type { SessionSummary } from '#shared/session-state';
import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { text } from '../../locales/text';
import { useMirror } from '../../store/app-context';
import { firstSessions, groupSessions } from '../../store/session-view';
import { classNames } from '../../ui/class-names';
import { SessionRow } from './session-row';
import { useSyncExternalStore } from 'react';

/** The day ends at midnight even in an idle window; a delay of up to one minute is acceptable. */
const checkIntervalMs = 60_000;

function subscribe(changed: () => void): () => void {
  const timer = setInterval(changed, checkIntervalMs);
  return () => clearInterval(timer);
}

/** The start of today, in milliseconds since the epoch. */
function startOfToday(): number {
  return new Date().setHours(0, 0, 0, 0);
}

/** The start of today; the component renders again when the day ends. */
function useToday(): number {
  return useSyncExternalStore(subscribe, startOfToday);
}

/** Sessions rendered initially; older ones follow on request, so ten thousand cost no more than a hundred. */
const sessionsShown = 200;

function Archive({ archived }: { readonly archived: readonly SessionSummary[] }) {
  const [open, setOpen] = useState(false);
  if (archived.length === 0) return null;
  return (
    <section aria-label={text('rail.archived')}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="mx-2 mt-3 flex h-7 items-center gap-1 rounded-md px-2 text-2xs font-medium text-muted hover:bg-hover hover:text-text"
      >
        <ChevronRight
          aria-hidden
          size={12}
          className={classNames('transition-transform', open && 'rotate-90')}
        />
        {text('rail.archived')} <span className="numbers">{archived.length}</span>
      </button>
      {open && (
        <ul>
          {archived.slice(0, sessionsShown).map((summary) => (
            <SessionRow key={summary.id} summary={summary} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** All sessions by day, newest first, with the archived ones collapsed below. */
export function SessionList() {
  const summaries = useMirror((mirror) => mirror.summaries);
  const ready = useMirror((mirror) => mirror.info !== null);
  const [shown, setShown] = useState(sessionsShown);
  const today = useToday();
  const { groups, archived } = useMemo(() => groupSessions(summaries, today), [summaries, today]);
  const total = groups.reduce((sum, group) => sum + group.sessions.length, 0);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pb-2">
      {ready && total === 0 && <p className="px-4 py-3 text-sm text-muted">{text('rail.empty')}</p>}
      {firstSessions(groups, shown).map(({ label, sessions }) => (
        <section key={label} aria-label={label}>
          <h2 className="px-4 pt-3 pb-1 text-2xs font-medium text-muted">{label}</h2>
          <ul>
            {sessions.map((summary) => (
              <SessionRow key={summary.id} summary={summary} />
            ))}
          </ul>
        </section>
      ))}
      {total > shown && (
        <button
          type="button"
          onClick={() => setShown(shown + sessionsShown)}
          className="numbers mx-2 mt-1 h-8 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-text"
        >
          {text('rail.older', { count: total - shown })}
        </button>
      )}
      <Archive archived={archived} />
    </div>
  );
}
