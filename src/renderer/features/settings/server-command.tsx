import { visibleControls } from '#shared/direction-controls';
import { text } from '../../locales/text';

/** A command word by word, or an address, exactly as it will be used: no shell interprets it. */
export function ServerCommand({ words }: { readonly words: readonly string[] }) {
  return (
    <p className="readable flex flex-wrap gap-1 font-mono text-xs text-muted">
      {words.map((word, index) => (
        <span
          key={index}
          className="rounded border border-line bg-surface px-1 py-px whitespace-pre-wrap wrap-anywhere"
        >
          {word === '' ? text('settings.server.emptyWord') : visibleControls(word)}
        </span>
      ))}
    </p>
  );
}
