import type { SessionState } from '#shared/session-state';
import type { Commands } from './commands';
import type { Drafts } from './drafts';
import type { SessionMirror } from './session-mirror';
import { lastTurn } from './session-view';
import { firstPage, searchText } from './slash-lines';
import type { View } from './view-state';

/** What following needs of the window. */
interface Followed {
  readonly mirror: SessionMirror;
  readonly view: View;
  readonly drafts: Drafts;
  readonly commands: Pick<Commands, 'readControlPlane' | 'prefetchPage'>;
}

/**
 * What decides which commands and sources are switched on, as text; nothing while the session is still on its way:
 * main would read it a second time to answer, and the session itself would wait for that.
 */
function keyOf({ mirror, view }: Followed): string | undefined {
  const { sessionId } = view.store.getState();
  const { sessions, settings } = mirror.store.getState();
  const session = sessionId === null ? undefined : sessions[sessionId];
  if (sessionId !== null && session === undefined) return undefined;
  return JSON.stringify([sessionId, session?.modeId, session?.context, session?.project, settings.roles]);
}

function openPicker(session: SessionState | undefined): number | undefined {
  const turn = lastTurn(session);
  return turn?.route?.picker?.status === 'open' ? turn.turn : undefined;
}

/** The answer to what the picker will show comes while the picker is being drawn. */
function prefetchFirstPages({ mirror, commands }: Followed, session: SessionState | undefined): void {
  const action = lastTurn(session)?.route?.action;
  if (action?.type !== 'open-picker') return;
  const { controlPlane } = mirror.store.getState();
  commands.prefetchPage(
    firstPage(action.source, searchText(controlPlane, action.source, action.prefilterText ?? '')),
  );
}

/** Opens the picker a line has just led to, unless something else is open or the next line is being written. */
function showNewPicker(app: Followed): () => void {
  const { mirror, view, drafts } = app;
  return mirror.store.subscribe((after, before) => {
    const { sessionId, dialog } = view.store.getState();
    if (sessionId === null || after.sessions === before.sessions) return;
    const known = before.sessions[sessionId];
    const turn = openPicker(after.sessions[sessionId]);
    // A session that has just been opened shows its old cards; nothing jumps up.
    if (!known || turn === undefined || openPicker(known) === turn) return;
    if (dialog === null && drafts.read(sessionId) === '') {
      prefetchFirstPages(app, after.sessions[sessionId]);
      view.set({ dialog: { kind: 'picker', turn } });
    }
  });
}

/** Keeps the mirror's view of the control plane current. Returns the way to stop. */
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
