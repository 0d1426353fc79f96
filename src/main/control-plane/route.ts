import type { Routing } from '#shared/route';
import type { RouteContext } from './route-context';

/** Decides about a line of input: pure, total, exactly one action (AGN-000037 §7). */
export function route(text: string, context: RouteContext): Routing {
  const { mode, unavailable } = context;
  const trace = { folded: text.slice(0, 0), mode, candidates: [], decision: '', unavailable: [...unavailable] };
  return { action: { type: 'continue-with-llm', reasonCode: 'no-match' }, trace };
}
