import type { SessionFact } from '#shared/session-event';
import type { WindowActionCall } from '#shared/window-action';
import type { WindowActionId } from '#shared/window-action-ids';

const recordedActions: Readonly<Partial<Record<WindowActionId, (text?: string) => SessionFact | null>>> = {
  'rename-session': (title) =>
    title === undefined ? null : { type: 'session-renamed', title: title.slice(0, 200) },
  'archive-session': () => ({ type: 'session-archived' }),
  'restore-session': () => ({ type: 'session-restored' }),
  'pin-session': () => ({ type: 'session-marked', pinned: true }),
  'unpin-session': () => ({ type: 'session-marked', pinned: false }),
};

/** Whether a terminal can carry out a window action, because it only records something in the session. */
export const isRecorded = (actionId: WindowActionId): boolean => recordedActions[actionId] !== undefined;

/** The fact that carries out a window action in a session; null when the window is needed. */
export const recordedFact = ({ actionId, text }: WindowActionCall): SessionFact | null =>
  recordedActions[actionId]?.(text) ?? null;

/** What to use in a terminal instead of a window action. */
const terminalHints: Readonly<Partial<Record<WindowActionId, string>>> = {
  'export-markdown': 'In a terminal: patina session export ID --format md',
  'export-html': 'In a terminal: patina session export ID --format html',
  'export-json': 'In a terminal: patina session export ID --format json',
  'new-session': 'In a terminal: patina ask without --session starts a new session.',
  'search-sessions': 'In a terminal, patina session list shows the sessions; the search works in the window.',
  'previous-session': 'In a terminal: /session lists the sessions.',
  'next-session': 'In a terminal: /session lists the sessions.',
  'connect-model': 'In a terminal: patina provider add',
  stop: 'In a terminal: Ctrl+C stops the current reply or run.',
};

/** What to do in a terminal instead of a window action. */
export const hintFor = (actionId: WindowActionId): string =>
  terminalHints[actionId] ?? 'This works in the window of Patina, not in a terminal.';
