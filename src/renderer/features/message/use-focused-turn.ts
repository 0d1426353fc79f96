import { useEffect, useState } from 'react';
import type { FocusTurn } from '../../store/turn-actions';

/** Long enough for the eye to find it, short enough not to stay in the way. */
const shownMs = 2_000;

/** Shows each turn that is asked for, and says for a moment which one it was. */
export function useFocusedTurn(focusTurn: FocusTurn | null, show: (turn: number) => void): number | null {
  const [over, setOver] = useState<FocusTurn | null>(null);
  useEffect(() => {
    if (!focusTurn) return undefined;
    show(focusTurn.turn);
    const timer = setTimeout(() => setOver(focusTurn), shownMs);
    return () => clearTimeout(timer);
  }, [focusTurn, show]);
  return focusTurn && focusTurn !== over ? focusTurn.turn : null;
}
