import { useState } from 'react';
import { visibleControls } from '#shared/direction-controls';
import type { Json } from '#shared/json';
import { text } from '../locales/text';
import { Button } from './button';

/** A longer text is drawn whole only on request, because its layout takes time. */
const shownLength = 20_000;

const shortened = (json: string, cut: number): string =>
  `${json.slice(0, shownLength)}\n${text('ui.moreCharacters', { count: cut })}`;

/** The exact arguments of a call, as they will be sent; the user can show and scroll to every line. */
export function CallArguments({ value }: { readonly value: Json }) {
  const [whole, setWhole] = useState(false);
  const json = visibleControls(JSON.stringify(value, null, 2));
  const cut = whole ? 0 : json.length - shownLength;
  return (
    <>
      <pre
        tabIndex={0}
        aria-label={text('ui.arguments')}
        className="readable mt-1 max-h-64 overflow-auto rounded-md border border-line bg-code px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {cut > 0 ? shortened(json, cut) : json}
      </pre>
      {cut > 0 && (
        <Button tone="quiet" className="-ms-1.5 h-6 px-1.5 text-xs" onClick={() => setWhole(true)}>
          {text('ui.showAllArguments')}
        </Button>
      )}
    </>
  );
}
