import { useSyncExternalStore } from 'react';
import { clockForm, onTimesChange } from './format';

/** Draws a component that shows times again when they are written in another way. */
export function useClock(): void {
  useSyncExternalStore(onTimesChange, clockForm);
}
