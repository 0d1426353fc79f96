import { text } from '../../locales/text';
import { useCurrentSession } from '../../store/app-context';
import { FocusChip } from './focus-chip';
import { RelatedChips } from './related-chips';

/** What the session works on, and what belongs to it, above the composer. */
export function WorkContextBar() {
  const shown = useCurrentSession((session) => session?.context?.entityHeader !== undefined);
  if (!shown) return null;
  return (
    <div
      role="group"
      aria-label={text('controlPlane.bar.name')}
      className="mb-1.5 flex flex-wrap items-center gap-1.5"
    >
      <FocusChip />
      <RelatedChips />
    </div>
  );
}
