import { coveragesOf, type CoverageKind, type GrantRequest } from '#shared/grant';
import { isObject, type Json } from '#shared/json';
import type { ApprovalState } from '#shared/session-state';

/** The scope of the answer on a card. */
export type AnswerScope = 'once' | 'run' | 'session' | 'always' | 'never';

/** The binding of one argument. */
export type Binding =
  { readonly kind: 'any' } | { readonly kind: 'same' } | { readonly kind: 'begins'; readonly text: string };

export type Bindings = Readonly<Record<string, Binding>>;

const mayContainUntrusted = (approvals: readonly ApprovalState[]): boolean =>
  approvals.some(({ origins = [] }) => origins.some(({ trusted }) => !trusted));

/** The possible scopes of the answers on a card: calls with untrusted text cannot be approved ahead. */
export function scopesFor(approvals: readonly ApprovalState[]): readonly AnswerScope[] {
  if (!approvals.every(({ tool }) => tool.startsWith('mcp://'))) return ['once'];
  if (mayContainUntrusted(approvals)) return ['once', 'never'];
  return ['once', 'run', 'session', 'always', 'never'];
}

/** The arguments that can be bound: those of every call, if all calls use the same tool. */
export function bindable(approvals: readonly ApprovalState[]): readonly (readonly [string, Json])[] {
  const [first, ...others] = approvals;
  if (!first || !isObject(first.arguments) || others.some(({ tool }) => tool !== first.tool)) return [];
  return Object.entries(first.arguments).filter(([name]) =>
    others.every(({ arguments: args }) => isObject(args) && Object.hasOwn(args, name)),
  );
}

/** The folder of a path as the initial prefix; the whole text if it is not a path. */
export function beginningOf(value: string): string {
  const end = value.lastIndexOf('/');
  return end > 0 ? value.slice(0, end + 1) : value;
}

/** What a saved answer covers: an offered scope, the narrowest that varies by default, or each argument's binding. */
export interface CoverageChoice {
  readonly kind?: CoverageKind | 'custom';
  readonly bindings: Bindings;
}

/** The offered scopes, and the chosen one; a folder or a host before the exact arguments. */
export function chosenCoverage(approvals: readonly ApprovalState[], { kind }: CoverageChoice) {
  const offered = coveragesOf(approvals);
  const preferred = offered.find((one) => one.kind === 'folder' || one.kind === 'host') ?? offered[0];
  const chosen = offered.find((one) => one.kind === kind) ?? preferred;
  return { offered, chosen: chosen ?? { kind: 'any' as const, where: {} } };
}

function boundByUser(bindings: Bindings): GrantRequest['where'] {
  const where = Object.entries(bindings).flatMap(
    ([name, binding]): readonly (readonly [string, GrantRequest['where'][string]])[] => {
      if (binding.kind === 'same') return [[name, 'same']];
      return binding.kind === 'begins' && binding.text !== '' ? [[name, { beginsWith: binding.text }]] : [];
    },
  );
  return Object.fromEntries(where);
}

/** The grant request for the choices on the card; undefined: just this once. */
export function grantRequestOf(
  reach: AnswerScope,
  coverage: CoverageChoice,
  approvals: readonly ApprovalState[],
): GrantRequest | undefined {
  if (reach === 'once') return undefined;
  if (reach === 'never') return { reach: 'always', decision: 'never', where: {} };
  const where =
    coverage.kind === 'custom'
      ? boundByUser(coverage.bindings)
      : chosenCoverage(approvals, coverage).chosen.where;
  return { reach, decision: 'allow', where };
}
