import type { SessionSummary } from '#shared/session-state';
import { settingRows } from '#shared/setting-rows';
import { Check, ChevronRight, ListChecks, ListFilter } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useMemo, useState, useSyncExternalStore, type FocusEvent, type KeyboardEvent } from 'react';
import { text } from '../../locales/text';
import { useApp, useCommands, useMirror, useView } from '../../store/app-context';
import { firstSessions, groupSessions, type SessionGrouping } from '../../store/session-view';
import { classNames } from '../../ui/class-names';
import { IconButton } from '../../ui/icon-button';
import { pressed } from '../../ui/key-press';
import { menuItem, menuPanel } from '../../ui/menu-style';
import { useLostFocus } from '../../ui/use-lost-focus';
import { SelectionBar, useSessionSelection } from './session-selection';
import { SessionRow } from './session-row';

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

interface ArchiveProps {
  readonly archived: readonly SessionSummary[];
  readonly tabStop: string | undefined;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly onChoose: (id: string, range: boolean) => void;
}

function Archive({ archived, tabStop, open, onToggle, onChoose }: ArchiveProps) {
  if (archived.length === 0) return null;
  return (
    <section aria-label={text('rail.archived')}>
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="mx-2 mt-3 flex h-7 items-center gap-1 rounded-md px-2 text-2xs font-medium text-muted hover:bg-hover hover:text-text"
      >
        <ChevronRight
          aria-hidden
          size={12}
          className={classNames('transition-transform', open && 'rotate-(--quarter-turn)')}
        />
        {text('rail.archived')} <span className="numbers">{archived.length}</span>
      </button>
      {open && (
        <ul>
          {archived.slice(0, sessionsShown).map((summary) => (
            <SessionRow
              key={summary.id}
              summary={summary}
              tabStop={summary.id === tabStop}
              chosen={undefined}
              onChoose={onChoose}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The index of the row that a key moves to, or undefined if the key does not move between rows. */
function rowAfter(key: string, at: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, last);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

type Extend = (from: string, to: string) => void;

/**
 * Moves the focus between the rows of a list, with Shift selecting them; keys pressed in a field or a menu stay
 * there.
 */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>, extend: Extend): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-session]')];
  const at = rows.findIndex((row) => row === event.target);
  const next = at === -1 ? undefined : rowAfter(event.key, at, rows.length - 1);
  if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const [from, to] = [rows[at]?.dataset['session'], rows[next]?.dataset['session']];
  if (event.shiftKey && from !== undefined && to !== undefined) extend(from, to);
  rows[next]?.focus();
}

/**
 * Makes a list of sessions one tab stop: the row that has the focus, otherwise the open session if it is
 * listed, otherwise the first.
 */
function useTabStop(listed: readonly string[], extend: Extend) {
  const { view } = useApp();
  const current = useView((view) => view.sessionId);
  const [focused, setFocused] = useState<string | null>(null);
  const onFocus = useLostFocus(listed.join(), view.focusComposer);
  const tabStop = [focused, current].find((id) => id !== null && listed.includes(id)) ?? listed[0];
  return {
    tabStop,
    handlers: {
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => moveBetweenRows(event, extend),
      onFocus: (event: FocusEvent<HTMLElement>) => {
        onFocus(event);
        const row = event.target.closest<HTMLElement>('[data-session]');
        if (row) setFocused(row.dataset['session'] ?? null);
      },
      onBlur: (event: FocusEvent<HTMLElement>) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocused(null);
      },
    },
  };
}

/** What the list is grouped by, and the way to select several sessions. */
function ListMenu({ onSelect }: { readonly onSelect: () => void }) {
  const commands = useCommands();
  const grouping = useMirror((mirror) => mirror.settings.sessionGroups);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton icon={ListFilter} label={text('rail.list.name')} className="size-6" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={4} className={menuPanel}>
          <DropdownMenu.RadioGroup
            value={grouping}
            onValueChange={(value) =>
              void commands.changeSettings({ sessionGroups: value as SessionGrouping })
            }
          >
            {settingRows.sessionGroups.choices.map((choice) => (
              <DropdownMenu.RadioItem key={choice} value={choice} className={menuItem}>
                <span className="w-3.5">
                  <DropdownMenu.ItemIndicator>
                    <Check aria-hidden size={14} />
                  </DropdownMenu.ItemIndicator>
                </span>
                {text(`rail.list.${choice}`)}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item className={menuItem} onSelect={onSelect}>
            <ListChecks aria-hidden size={14} /> {text('rail.list.select')}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** The sessions of the rail in their groups, cut to what is drawn. */
function useListedSessions(shown: number) {
  const summaries = useMirror((mirror) => mirror.summaries);
  const grouping = useMirror((mirror) => mirror.settings.sessionGroups);
  const today = useToday();
  const { groups, archived } = useMemo(
    () => groupSessions(summaries, today, grouping),
    [summaries, today, grouping],
  );
  const total = groups.reduce((sum, group) => sum + group.sessions.length, 0);
  return { groups: useMemo(() => firstSessions(groups, shown), [groups, shown]), archived, total };
}

/** Pinned sessions, then all by day or by project folder, newest first; the archived ones collapsed below. */
export function SessionList() {
  const ready = useMirror((mirror) => mirror.info !== null);
  const current = useView((view) => view.sessionId);
  const [shown, setShown] = useState(sessionsShown);
  const [archiveOpen, setArchiveOpen] = useState(false);
  const { groups, archived, total } = useListedSessions(shown);
  const rows = groups.flatMap(({ sessions }) => sessions.map(({ id }) => id));
  const older = archiveOpen ? archived.slice(0, sessionsShown).map(({ id }) => id) : [];
  const { chosen, choose, extend, chooseAll, begin, end } = useSessionSelection(rows, current);
  const { tabStop, handlers } = useTabStop([...rows, ...older], extend);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!chosen) return;
    if (event.key === 'Escape') {
      // Escape also stops a reply: here it only ends the selection.
      event.stopPropagation();
      end();
    } else if (pressed(event, 'Mod+A') && !(event.target instanceof HTMLInputElement)) {
      event.preventDefault();
      chooseAll();
    }
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col" onKeyDown={onKeyDown}>
      {total > 0 && (
        <div className="flex h-7 items-center ps-4 pe-3 text-2xs font-medium text-muted">
          <span className="flex-1">{text('rail.list.heading')}</span>
          <ListMenu onSelect={begin} />
        </div>
      )}
      <div className="min-h-0 flex-1 overflow-y-auto pb-2" {...handlers}>
        {ready && total === 0 && <p className="px-4 py-3 text-sm text-muted">{text('rail.empty')}</p>}
        {groups.map(({ key, label, path, sessions }) => (
          <section key={key} aria-label={label}>
            <h2 title={path} className="truncate px-4 pt-2 pb-1 text-2xs font-medium text-muted">
              <bdi>{label}</bdi>
            </h2>
            <ul>
              {sessions.map((summary) => (
                <SessionRow
                  key={summary.id}
                  summary={summary}
                  tabStop={summary.id === tabStop}
                  chosen={chosen?.has(summary.id)}
                  onChoose={choose}
                />
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
        <Archive
          archived={archived}
          tabStop={tabStop}
          open={archiveOpen}
          onToggle={() => setArchiveOpen(!archiveOpen)}
          onChoose={choose}
        />
      </div>
      {chosen && <SelectionBar chosen={chosen} onEnd={end} />}
    </div>
  );
}
