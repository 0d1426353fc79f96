import type { Turn } from '#shared/session-state';
import { Signpost } from 'lucide-react';
import { text } from '../../locales/text';
import { shortText } from '../../ui/short-text';
import { EmptyState } from './empty-state';
import { RouteView } from './route-view';

/** How a line of the session was routed. */
export function TraceTab({ turn }: { readonly turn: Turn | undefined }) {
  if (!turn?.route) {
    return (
      <EmptyState
        icon={Signpost}
        title={turn ? text('inspector.trace.noTrace') : text('inspector.trace.none')}
      >
        {text('inspector.trace.about')}
      </EmptyState>
    );
  }
  return (
    <div className="px-4 pt-3 pb-8">
      <h3 dir="auto" className="readable mb-3 line-clamp-3 text-base wrap-anywhere">
        “{shortText(turn.text, 400)}”
      </h3>
      <RouteView routing={turn.route} />
    </div>
  );
}
