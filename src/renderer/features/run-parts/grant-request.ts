import type { GrantRequest } from '#shared/grant';
import { isObject, type Json } from '#shared/json';
import type { ApprovalState } from '#shared/session-state';

/** How far the answer on a card is to reach. */
export type AnswerScope = 'once' | 'run' | 'session' | 'always' | 'never';

/** What one argument is bound to. */
export type Binding =
  { readonly kind: 'any' } | { readonly kind: 'same' } | { readonly kind: 'begins'; readonly text: string };

export type Bindings = Readonly<Record<string, Binding>>;

const mayContainUntrusted = (approvals: readonly ApprovalState[]): boolean =>
  approvals.some(({ origins = [] }) => origins.some(({ trusted }) => !trusted));

/** How far the answers on a card may reach: text nobody vouches for is asked for each time. */
export function scopesFor(approvals: readonly ApprovalState[]): readonly AnswerScope[] {
  if (!approvals.every(({ tool }) => tool.startsWith('mcp://'))) return ['once'];
  if (mayContainUntrusted(approvals)) return ['once', 'never'];
  return ['once', 'run', 'session', 'always', 'never'];
}

/** The arguments that can be bound: those of every call, when all are of one tool. */
export function bindable(approvals: readonly ApprovalState[]): readonly (readonly [string, Json])[] {
  const [first, ...others] = approvals;
  if (!first || !isObject(first.arguments) || others.some(({ tool }) => tool !== first.tool)) return [];
  return Object.entries(first.arguments).filter(([name]) =>
    others.every(({ arguments: args }) => isObject(args) && Object.hasOwn(args, name)),
  );
}

/** The folder a text is in, to begin with; the whole text when it is no path. */
export function beginningOf(value: string): string {
  const end = value.lastIndexOf('/');
  return end > 0 ? value.slice(0, end + 1) : value;
}

/** The wish behind what was chosen on the card; undefined: just this once. */
export function grantRequestOf(reach: AnswerScope, bindings: Bindings): GrantRequest | undefined {
  if (reach === 'once') return undefined;
  if (reach === 'never') return { reach: 'always', decision: 'never', where: {} };
  const where = Object.entries(bindings).flatMap(
    ([name, binding]): readonly (readonly [string, GrantRequest['where'][string]])[] => {
      if (binding.kind === 'same') return [[name, 'same']];
      return binding.kind === 'begins' && binding.text !== '' ? [[name, { beginsWith: binding.text }]] : [];
    },
  );
  return { reach, decision: 'allow', where: Object.fromEntries(where) };
}
