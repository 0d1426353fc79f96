import { useView } from '../store/app-context';

/** Tells a screen reader what just happened, in its own time. */
export function LiveRegion() {
  const { n, text } = useView((view) => view.announcement);
  // A no-break space at every other word: the same text twice in a row is still a change, so it is said twice.
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {text}
      {n % 2 === 1 ? '\u00a0' : ''}
    </div>
  );
}
