import { describeKeys } from './key-press';

/** A shortcut with the key names of the current platform. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <kbd dir="ltr" className="inline-flex gap-0.5 font-sans text-2xs text-muted">
      {describeKeys(keys).map((key) => (
        <span key={key} className="min-w-4 rounded-sm border border-line bg-surface px-1 text-center">
          {key}
        </span>
      ))}
    </kbd>
  );
}
