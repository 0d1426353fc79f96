import type { Result } from '#shared/result';
import type { Routing } from '#shared/route';
import { Signpost } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { ErrorCard } from '../../ui/error-card';
import { useLatest } from '../../ui/use-latest';
import { EmptyState } from './empty-state';
import { RouteView } from './route-view';

export type PreviewRoute = (text: string) => Promise<Result<Routing>>;

function Answer({ routing }: { readonly routing: Result<Routing> }) {
  if (!routing.ok) return <ErrorCard error={routing.error} />;
  return <RouteView routing={routing.value} />;
}

/** Shows how the router would handle a line while it is typed; sends nothing. */
export function RouteTab({ previewRoute }: { readonly previewRoute: PreviewRoute }) {
  const [line, setLine] = useState('');
  const latest = useLatest(line === '' ? null : line, previewRoute);
  return (
    <div className="px-4 pt-3 pb-8">
      <label className="block">
        <span className="text-sm font-medium">{text('inspector.route.try')}</span>
        <textarea
          dir="auto"
          rows={2}
          spellCheck={false}
          value={line}
          maxLength={1_000_000}
          placeholder={text('inspector.route.example')}
          onChange={(event) => setLine(event.target.value)}
          className="readable mt-1 max-h-40 w-full resize-y rounded-md border border-line-strong bg-canvas px-2.5 py-1.5 text-sm outline-none focus:border-accent"
        />
      </label>
      <p className="mt-1 mb-3 text-xs text-muted">{text('inspector.route.about')}</p>
      {line !== '' && latest ? (
        <div aria-busy={latest.input !== line}>
          <Answer routing={latest.output} />
        </div>
      ) : (
        <EmptyState icon={Signpost} title={text('inspector.route.none')}>
          {text('inspector.route.empty')}
        </EmptyState>
      )}
    </div>
  );
}
