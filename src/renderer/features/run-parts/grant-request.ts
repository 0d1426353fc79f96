import { z } from 'zod';
import { coveragesOf, CoverageKind, type GrantRequest } from '#shared/grant';
import { isObject, type Json } from '#shared/json';
import type { ApprovalState } from '#shared/session-state';

const AnswerScope = z.enum(['once', 'run', 'session', 'always', 'never']);
/** The scope of the answer on a card. */
export type AnswerScope = z.infer<typeof AnswerScope>;

const Binding = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['any', 'same']) }),
  z.object({ kind: z.literal('begins'), text: z.string() }),
]);
/** The binding of one argument. */
export type Binding = z.infer<typeof Binding>;

const CoverageChoice = z.object({
  kind: z.enum([...CoverageKind.options, 'custom']).optional(),
  bindings: z.record(z.string(), Binding),
});
/** What a saved answer covers: an offered scope, the narrowest that varies by default, or each argument's binding. */
export type CoverageChoice = z.infer<typeof CoverageChoice>;

/** What the user chose on a card that is not answered yet. */
export const CardChoices = z.object({
  /** Ids of the calls that will not run. */
  left: z.array(z.string()),
  scope: AnswerScope,
  coverage: CoverageChoice,
});
export type CardChoices = z.infer<typeof CardChoices>;

export const firstChoices: CardChoices = { left: [], scope: 'once', coverage: { bindings: {} } };

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

/** The offered scopes, and the chosen one; a folder or a host before the exact arguments. */
export function chosenCoverage(approvals: readonly ApprovalState[], { kind }: CoverageChoice) {
  const offered = coveragesOf(approvals);
  const preferred = offered.find((one) => one.kind === 'folder' || one.kind === 'host') ?? offered[0];
  const chosen = offered.find((one) => one.kind === kind) ?? preferred;
  return { offered, chosen: chosen ?? { kind: 'any' as const, where: {} } };
}

function boundByUser({ bindings }: CoverageChoice): GrantRequest['where'] {
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
    coverage.kind === 'custom' ? boundByUser(coverage) : chosenCoverage(approvals, coverage).chosen.where;
  return { reach, decision: 'allow', where };
}
