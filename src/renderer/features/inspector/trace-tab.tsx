import type { Turn } from '#shared/session-state';
import { Signpost } from 'lucide-react';
import { shortText } from '../../ui/short-text';
import { EmptyState } from './empty-state';
import { RouteView } from './route-view';

/** How a line of the session was routed. */
export function TraceTab({ turn }: { readonly turn: Turn | undefined }) {
  if (!turn?.route) {
    return (
      <EmptyState icon={Signpost} title={turn ? 'This line has no trace' : 'Nothing routed yet'}>
        Every line is read by the router before a model sees it; what it considered appears here.
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
