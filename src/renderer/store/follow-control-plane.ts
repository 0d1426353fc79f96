import type { SessionState } from '#shared/session-state';
import type { Commands } from './commands';
import type { Drafts } from './drafts';
import type { SessionMirror } from './session-mirror';
import { lastTurn } from './session-view';
import { firstPage, searchText } from './slash-lines';
import type { View } from './view-state';

/** The parts of the window that `followControlPlane` needs. */
interface Followed {
  readonly mirror: SessionMirror;
  readonly view: View;
  readonly drafts: Drafts;
  readonly commands: Pick<Commands, 'readControlPlane' | 'prefetchPage'>;
}

/**
 * The inputs that decide which commands and sources are enabled, as text. Undefined while the session loads:
 * main would have to read the session a second time to answer, and the session itself would wait for that.
 */
function keyOf({ mirror, view }: Followed): string | undefined {
  const { sessionId } = view.store.getState();
  const { sessions, settings } = mirror.store.getState();
  const session = sessionId === null ? undefined : sessions[sessionId];
  if (sessionId !== null && session === undefined) return undefined;
  const { roles, usedSources } = settings;
  return JSON.stringify([sessionId, session?.modeId, session?.context, session?.project, roles, usedSources]);
}

function openPicker(session: SessionState | undefined): number | undefined {
  const turn = lastTurn(session);
  return turn?.route?.picker?.status === 'open' ? turn.turn : undefined;
}

/** Prefetches the first page of the list in a new picker, so that it arrives while the picker renders. */
function prefetchFirstPages({ mirror, commands }: Followed, session: SessionState | undefined): void {
  const action = lastTurn(session)?.route?.action;
  if (action?.type !== 'open-picker') return;
  const { controlPlane } = mirror.store.getState();
  commands.prefetchPage(
    firstPage(action.source, searchText(controlPlane, action.source, action.prefilterText ?? '')),
  );
}

/** Opens the picker of a new line, unless another dialog is open or the user is typing the next line. */
function showNewPicker(app: Followed): () => void {
  const { mirror, view, drafts } = app;
  return mirror.store.subscribe((after, before) => {
    const { sessionId, dialog } = view.store.getState();
    if (sessionId === null || after.sessions === before.sessions) return;
    const known = before.sessions[sessionId];
    const turn = openPicker(after.sessions[sessionId]);
    // A session that was just opened shows its old cards without opening a dialog.
    if (!known || turn === undefined || openPicker(known) === turn) return;
    if (dialog === null && drafts.read(sessionId) === '') {
      prefetchFirstPages(app, after.sessions[sessionId]);
      view.set({ dialog: { kind: 'picker', turn } });
    }
  });
}

/** Keeps the mirror's view of the control plane current. Returns the function that stops it. */
export function followControlPlane(app: Followed): () => void {
  let known = '';
  const check = () => {
    const key = keyOf(app);
    if (key === undefined || key === known) return;
    known = key;
    void app.commands.readControlPlane();
  };
  const stops = [app.mirror.store.subscribe(check), app.view.store.subscribe(check), showNewPicker(app)];
  check();
  return () => stops.forEach((stop) => stop());
}
