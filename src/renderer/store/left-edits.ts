import type { SessionState } from '#shared/session-state';
import { text } from '../locales/text';
import type { CommandDeps } from './command-deps';
import { editDraft } from './drafts';

type Deps = Pick<CommandDeps, 'mirror' | 'view' | 'drafts'>;

/** Puts what was typed into the edit of a line that waits no more into the message box of its session. */
export function returnLeftEdits({ view, drafts }: Omit<Deps, 'mirror'>, { id, queue }: SessionState): void {
  const waiting = new Set(queue?.lines.map(({ lineId }) => lineId));
  const left = drafts.editedLines(id).filter((lineId) => !waiting.has(lineId));
  for (const lineId of left) {
    const edit = editDraft(id, lineId);
    drafts.prepend(id, drafts.read(edit));
    drafts.write(edit, '');
  }
  if (left.length === 0) return;
  view.toast(text('store.editReturned'));
  if (view.store.getState().sessionId === id) view.focusComposer();
}

/**
 * Looks after edits whose line another window has withdrawn, also before this window opened the session. Returns the
 * function that stops it.
 */
export function followLeftEdits(app: Deps): () => void {
  const { mirror, view } = app;
  let seen: Partial<Pick<SessionState, 'id' | 'queue'>> = {};
  const check = () => {
    const { sessionId } = view.store.getState();
    const session = sessionId === null ? undefined : mirror.store.getState().sessions[sessionId];
    if (!session || (session.id === seen.id && session.queue === seen.queue)) return;
    seen = session;
    returnLeftEdits(app, session);
  };
  const stops = [mirror.store.subscribe(check), view.store.subscribe(check)];
  return () => stops.forEach((stop) => stop());
}
