import { text } from '../../locales/text';
import { useMirror } from '../../store/app-context';
import { FocusChip } from './focus-chip';
import { ModeChip } from './mode-chip';
import { RelatedChips } from './related-chips';

/** The session's mode and focus in the header. In a narrow window, the chips above the composer suffice. */
export function WorkContextChips() {
  return (
    <div
      role="group"
      aria-label={text('controlPlane.bar.session')}
      className="flex min-w-0 items-center gap-1.5 max-wide:hidden"
    >
      <ModeChip />
      <FocusChip />
    </div>
  );
}

/** The context of the next line, above the composer. */
export function WorkContextBar() {
  const shown = useMirror(
    ({ controlPlane, controlPlaneProblem }) => controlPlane !== null || controlPlaneProblem !== null,
  );
  if (!shown) return null;
  return (
    <div
      role="group"
      aria-label={text('controlPlane.bar.name')}
      className="mb-1.5 flex flex-wrap items-center gap-1.5"
    >
      <ModeChip />
      <FocusChip />
      <RelatedChips />
    </div>
  );
}
