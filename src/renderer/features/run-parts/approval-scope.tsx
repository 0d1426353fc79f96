import { boundArguments } from '#shared/grant';
import { describeBoundArguments } from '#shared/grant-labels';
import type { Json } from '#shared/json';
import type { ApprovalState } from '#shared/session-state';
import { text } from '../../locales/text';
import {
  beginningOf,
  bindable,
  scopesFor,
  grantRequestOf,
  type Binding,
  type Bindings,
  type AnswerScope,
} from './grant-request';
import { InlineSelect } from '../../ui/inline-select';

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
function covered(approvals: readonly ApprovalState[], scope: AnswerScope, bindings: Bindings): string {
  const [first] = approvals;
  const grant = grantRequestOf(scope, bindings);
  if (!first || !grant) return '';
  const names = [...new Set(approvals.map(({ tool }) => tool.replace(/^mcp:\/\//, '')))].join(', ');
  if (grant.decision === 'never') return text('runParts.scope.blocks', { tools: names });
  const where = describeBoundArguments({ decision: 'allow', where: boundArguments(grant, first.arguments) });
  return text('runParts.scope.covers', { tools: names, where });
}

export interface ApprovalScopeProps {
  readonly approvals: readonly ApprovalState[];
  readonly scope: AnswerScope;
  readonly bindings: Bindings;
  readonly onScope: (scope: AnswerScope) => void;
  readonly onBindings: (bindings: Bindings) => void;
}

/** The scope of an answer and the arguments it binds, shown before the user answers. */
export function ApprovalScope({ approvals, scope, bindings, onScope, onBindings }: ApprovalScopeProps) {
  const scopes = scopesFor(approvals);
  if (scopes.length === 1) return null;
  const binds = scope !== 'once' && scope !== 'never';
  const rows = binds ? bindable(approvals) : [];
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
      {rows.length > 0 && (
        <ul aria-label={text('runParts.binding.list')} className="space-y-1.5">
          {rows.map(([name, value]) => (
            <BindingRow
              key={name}
              name={name}
              value={value}
              binding={bindings[name] ?? { kind: 'any' }}
              onChange={(binding) => onBindings({ ...bindings, [name]: binding })}
            />
          ))}
        </ul>
      )}
      {scope !== 'once' && <p className="text-xs wrap-anywhere">{covered(approvals, scope, bindings)}</p>}
    </div>
  );
}
