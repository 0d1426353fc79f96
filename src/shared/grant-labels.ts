import type { Grant } from './grant';

const scopeLabels: Readonly<Record<Grant['reach']['kind'], string>> = {
  run: 'for this run',
  session: 'for this session',
  always: 'always, in this project',
};

/** One bound argument as text: `path = "docs/a.md"`, `path begins with "docs/"`. */
export function describeRule(name: string, rule: Grant['where'][string]): string {
  if ('is' in rule) return `${name} = ${JSON.stringify(rule.is)}`;
  return `${name} begins with ${JSON.stringify(rule.beginsWith)}`;
}

/** The arguments that a saved permission binds, as text. */
export function describeBoundArguments({ decision, where }: Pick<Grant, 'decision' | 'where'>): string {
  const rules = Object.entries(where).map(([name, rule]) => describeRule(name, rule));
  if (rules.length > 0) return `only when ${rules.join(' and ')}`;
  return decision === 'never' ? 'whatever its arguments are' : 'with any arguments';
}

/** The scope of a saved permission, as text. */
export function describeScope({ decision, reach }: Pick<Grant, 'decision' | 'reach'>): string {
  if (decision === 'never' && reach.kind === 'always') return 'never, in this project';
  return decision === 'never' ? `not ${scopeLabels[reach.kind]}` : scopeLabels[reach.kind];
}
