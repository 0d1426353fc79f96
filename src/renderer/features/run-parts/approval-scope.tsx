import { boundArguments, type Grant } from '#shared/grant';
import { describeBoundArguments, describeCoverage } from '#shared/grant-labels';
import type { Json } from '#shared/json';
import type { ApprovalState } from '#shared/session-state';
import { text } from '../../locales/text';
import {
  beginningOf,
  bindable,
  chosenCoverage,
  scopesFor,
  grantRequestOf,
  type AnswerScope,
  type Binding,
  type CoverageChoice,
} from './grant-request';
import { InlineSelect } from '../../ui/inline-select';
import { formatList } from '../../ui/format';

const scopeText: Readonly<Record<AnswerScope, string>> = {
  once: text('runParts.scope.once'),
  run: text('runParts.scope.run'),
  session: text('runParts.scope.session'),
  always: text('runParts.scope.always'),
  never: text('runParts.scope.never'),
};

const bindingText = {
  any: text('runParts.binding.any'),
  same: text('runParts.binding.same'),
  begins: text('runParts.binding.begins'),
} as const;

function BindingRow(props: {
  readonly name: string;
  readonly value: Json;
  readonly binding: Binding;
  readonly onChange: (binding: Binding) => void;
}) {
  const { name, value, binding, onChange } = props;
  const kinds = typeof value === 'string' ? (['any', 'same', 'begins'] as const) : (['any', 'same'] as const);
  const choose = (kind: Binding['kind']): void =>
    onChange(
      kind === 'begins' ? { kind, text: typeof value === 'string' ? beginningOf(value) : '' } : { kind },
    );
  return (
    <li className="flex flex-wrap items-center gap-2">
      <InlineSelect
        label={text('runParts.binding.allowed', { name })}
        value={binding.kind}
        options={kinds.map((kind) => [kind, bindingText[kind]] as const)}
        onChange={choose}
      >
        <span className="w-24 truncate font-mono text-xs" title={name}>
          {name}
        </span>
      </InlineSelect>
      {binding.kind === 'begins' && (
        <input
          aria-label={text('runParts.binding.beginning', { name })}
          spellCheck={false}
          value={binding.text}
          onChange={(event) => onChange({ kind: 'begins', text: event.currentTarget.value })}
          className="readable h-7 min-w-24 grow rounded-md border border-line-strong bg-canvas px-2 font-mono text-xs outline-none focus:border-accent"
        />
      )}
    </li>
  );
}

/** What the answer will cover, in a sentence. */
function covered(approvals: readonly ApprovalState[], scope: AnswerScope, coverage: CoverageChoice): string {
  const grant = grantRequestOf(scope, coverage, approvals);
  if (!grant) return '';
  const bound = approvals.flatMap(({ tool, arguments: args }) => {
    const where = boundArguments(grant, args);
    return where ? [{ tool: tool.replace(/^mcp:\/\//, ''), where }] : [];
  });
  const names = formatList([...new Set(bound.map(({ tool }) => tool))]);
  if (grant.decision === 'never') return text('runParts.scope.blocks', { tools: names });
  const rules = bound.reduceRight<Grant['where']>((all, { where: own }) => ({ ...all, ...own }), {});
  const where = describeBoundArguments({ decision: 'allow', where: rules });
  return text('runParts.scope.covers', { tools: names, where });
}

export interface ApprovalScopeProps {
  readonly approvals: readonly ApprovalState[];
  readonly scope: AnswerScope;
  readonly coverage: CoverageChoice;
  readonly onScope: (scope: AnswerScope) => void;
  readonly onCoverage: (coverage: CoverageChoice) => void;
}

/** What a saved answer covers, in words. */
function Coverage({ approvals, coverage, onCoverage }: Omit<ApprovalScopeProps, 'scope' | 'onScope'>) {
  const { offered, chosen } = chosenCoverage(approvals, coverage);
  const tools = approvals.map(({ tool }) => tool);
  const rows = bindable(approvals);
  const options = [
    ...offered.map((one) => [one.kind, describeCoverage(one, tools)] as const),
    ...(rows.length > 0 ? [['custom', text('runParts.scope.custom')] as const] : []),
  ];
  const kind = coverage.kind === 'custom' ? coverage.kind : chosen.kind;
  const { bindings } = coverage;
  return (
    <>
      <InlineSelect
        label={text('runParts.scope.allows')}
        value={kind}
        options={options}
        onChange={(next) => onCoverage({ ...coverage, kind: next })}
      >
        <span className="text-muted">{text('runParts.scope.allows')}</span>
      </InlineSelect>
      {kind === 'custom' && (
        <ul aria-label={text('runParts.binding.list')} className="space-y-1.5">
          {rows.map(([name, value]) => (
            <BindingRow
              key={name}
              name={name}
              value={value}
              binding={bindings[name] ?? { kind: 'any' }}
              onChange={(binding) => onCoverage({ kind, bindings: { ...bindings, [name]: binding } })}
            />
          ))}
        </ul>
      )}
    </>
  );
}

/** The scope of an answer, shown in words before the user answers. */
export function ApprovalScope({ approvals, scope, coverage, onScope, onCoverage }: ApprovalScopeProps) {
  const scopes = scopesFor(approvals);
  if (scopes.length === 1) return null;
  return (
    <div className="mt-3 space-y-2 border-t border-copper/30 pt-2.5 text-sm">
      <InlineSelect
        label={text('runParts.scope.label')}
        value={scope}
        options={scopes.map((value) => [value, scopeText[value]] as const)}
        onChange={onScope}
      >
        <span className="text-muted">{text('runParts.scope.label')}</span>
      </InlineSelect>
      {!scopes.includes('run') && <p className="text-xs text-muted">{text('runParts.scope.untrusted')}</p>}
      {scope !== 'once' && scope !== 'never' && (
        <Coverage approvals={approvals} coverage={coverage} onCoverage={onCoverage} />
      )}
      {scope !== 'once' && <p className="text-xs wrap-anywhere">{covered(approvals, scope, coverage)}</p>}
    </div>
  );
}
