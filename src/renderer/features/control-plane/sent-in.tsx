import type { ControlPlaneView } from '#shared/control-plane';
import { changedPlace, placeAtHead, sentInNow } from '#shared/sent-in';
import type { Turn } from '#shared/session-state';
import type { SentIn as SentContext } from '#shared/work-context';
import { useMemo } from 'react';
import { text } from '../../locales/text';
import { useApp, useCurrentSession, useMirror } from '../../store/app-context';
import { findCommandRow, focusCommand, releaseFocusId, setModeId, slashLine } from '../../store/slash-lines';
import { Button } from '../../ui/button';

const defaultModeOf = (plane: ControlPlaneView | null): string =>
  plane?.modes.find(({ isDefault }) => isDefault)?.id ?? '';

/** The mode of a place; undefined when it no longer exists. */
const modeOf = (plane: ControlPlaneView | null, { modeId = defaultModeOf(plane) }: SentContext) =>
  plane?.modes.find(({ id }) => id === modeId);

const modeName = (plane: ControlPlaneView | null, place: SentContext): string =>
  modeOf(plane, place)?.displayName ?? text('controlPlane.place.lostMode');

const focusName = ({ focus }: SentContext): string | undefined =>
  focus && (focus.header.displayName || focus.header.id);

/** The mode and the focus in which a line was sent, once a session has had others than the default. */
export function SentIn({ turn: { sentIn = {} } }: { readonly turn: Pick<Turn, 'sentIn'> }) {
  const plane = useMirror((mirror) => mirror.controlPlane);
  const isPlain = useCurrentSession((session) => !session || sentInNow(session) === undefined);
  if (isPlain && sentIn.modeId === undefined && !sentIn.focus) return null;
  const place = [modeName(plane, sentIn), focusName(sentIn)].filter(Boolean).join(' · ');
  return (
    <span
      title={text('controlPlane.place.sentIn', { place })}
      className="me-1.5 max-w-48 truncate text-xs text-muted @max-3xl:hidden"
    >
      {place}
    </span>
  );
}

/** The line that sets the focus of a place, or releases the one that the session has. */
function focusLine(
  plane: ControlPlaneView | null,
  { focus }: SentContext,
  now: SentContext,
): string | undefined {
  const row = focus ? focusCommand(plane, focus.entityType) : findCommandRow(plane, releaseFocusId);
  const id = focus?.header.id ?? now.focus?.header.id;
  return row && id !== undefined ? slashLine(row, id) : undefined;
}

/**
 * After the session was taken back to an earlier turn: the mode and the focus that it had there, if it has others now,
 * and the commands that restore them.
 */
export function PlaceAtHead() {
  const { commands, mirror } = useApp();
  const plane = useMirror((state) => state.controlPlane);
  const session = useCurrentSession((current) => current);
  const defaultMode = defaultModeOf(plane);
  const place = useMemo(() => session && placeAtHead(session, defaultMode), [session, defaultMode]);
  if (!session || !place) return null;
  const now = sentInNow(session) ?? {};
  const changed = changedPlace(place, now, defaultMode);
  const name = focusName(place);
  const parts = [
    changed.mode && text('controlPlane.place.mode', { mode: modeName(plane, place) }),
    changed.focus &&
      (name === undefined ? text('controlPlane.place.noFocus') : text('controlPlane.place.focus', { name })),
  ];
  const restore = async () => {
    const [row, mode] = [findCommandRow(plane, setModeId), modeOf(plane, place)];
    if (changed.mode && row && mode) {
      await commands.send(slashLine(row, mode.key));
      // The commands for the focus can belong to the mode.
      await commands.readControlPlane();
    }
    const line = changed.focus && focusLine(mirror.store.getState().controlPlane, place, now);
    if (line) await commands.send(line);
  };
  return (
    <p className="mb-1.5 flex flex-wrap items-center gap-x-2 text-sm text-muted">
      <span className="min-w-0 wrap-anywhere">
        {text('controlPlane.place.atHead', { place: parts.filter(Boolean).join(', ') })}
      </span>
      <Button tone="quiet" onClick={() => void restore()}>
        {text('controlPlane.place.restore')}
      </Button>
    </p>
  );
}
