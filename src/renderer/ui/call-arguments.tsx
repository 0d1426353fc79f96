import { visibleControls } from '#shared/direction-controls';
import type { Json } from '#shared/json';
import { text } from '../locales/text';

const shownLength = 20_000;

function pretty(value: Json): string {
  const json = visibleControls(JSON.stringify(value, null, 2));
  const cut = json.length - shownLength;
  return cut > 0 ? `${json.slice(0, shownLength)}\n${text('ui.moreCharacters', { count: cut })}` : json;
}

/** The exact arguments of a call, as they will be sent; the user can scroll to every line. */
export function CallArguments({ value }: { readonly value: Json }) {
  return (
    <pre
      tabIndex={0}
      aria-label={text('ui.arguments')}
      className="readable mt-1 max-h-64 overflow-auto rounded-md border border-line bg-code px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
    >
      {pretty(value)}
    </pre>
  );
}
