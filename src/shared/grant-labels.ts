import type { Coverage, Grant } from './grant';
import type { Json } from './json';

const scopeLabels: Readonly<Record<Grant['reach']['kind'], string>> = {
  run: 'for this stage of the run',
  session: 'for this session',
  always: 'always, in this project',
};

const maxValueLength = 120;

function shortJson(value: Json): string {
  const json = JSON.stringify(value);
  return json.length > maxValueLength ? `${json.slice(0, maxValueLength)}…` : json;
}

/** One bound argument as text: `path = "docs/a.md"`, `path begins with "docs/"`, `path is in docs/**`. */
export function describeRule(name: string, rule: Grant['where'][string]): string {
  if ('is' in rule) return `${name} = ${shortJson(rule.is)}`;
  if ('within' in rule) return `${name} is in ${rule.within === '.' ? '**' : `${rule.within}/**`}`;
  if ('host' in rule) return `${name} is on ${rule.host}`;
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

/** `mcp://filesystem.write_file` as `write_file`. */
const toolName = (tool: string): string => tool.replace(/^mcp:\/\/[^.]*\./, '');

/** What a saved permission for these tools covers, in a few words: `write_file in docs/**`. */
export function describeCoverage({ kind, where }: Coverage, tools: readonly string[]): string {
  const names = [...new Set(tools.map(toolName))].join(', ');
  const [rule] = Object.values(where);
  switch (kind) {
    case 'same':
      return `${names} with exactly these arguments`;
    case 'folder':
      return `${names} in ${typeof rule === 'object' && 'within' in rule && rule.within !== '.' ? `${rule.within}/` : ''}**`;
    case 'host':
      return `${names} on ${typeof rule === 'object' && 'host' in rule ? rule.host : ''}`;
    case 'any':
      return `${names} with any arguments`;
  }
}
