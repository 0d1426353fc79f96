import { useMirror } from '../../store/app-context';
import { FocusChip } from './focus-chip';
import { ModeChip } from './mode-chip';
import { RelatedChips } from './related-chips';

/** In the header: the session's mode and what it works on. Where there is no room, those above the composer are enough. */
export function WorkContextChips() {
  return (
    <div role="group" aria-label="Session" className="flex min-w-0 items-center gap-1.5 max-wide:hidden">
      <ModeChip />
      <FocusChip />
    </div>
  );
}

/** Above the composer: what the next line is read in. */
export function WorkContextBar() {
  const shown = useMirror(
    ({ controlPlane, controlPlaneProblem }) => controlPlane !== null || controlPlaneProblem !== null,
  );
  if (!shown) return null;
  return (
    <div role="group" aria-label="Mode and focus" className="mb-1.5 flex flex-wrap items-center gap-1.5">
      <ModeChip />
      <FocusChip />
      <RelatedChips />
    </div>
  );
}
