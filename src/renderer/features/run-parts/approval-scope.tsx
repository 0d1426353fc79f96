import { boundArguments } from '#shared/grant';
import { describeBoundArguments } from '#shared/grant-labels';
import type { Json } from '#shared/json';
import type { ApprovalState } from '#shared/session-state';
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
  once: 'just this once',
  run: 'for this run',
  session: 'for this session',
  always: 'always, in this project',
  never: 'never allow this tool here',
};

const bindingText = { any: 'any value', same: 'as it is here', begins: 'begins with' } as const;

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
        label={`Allowed values of ${name}`}
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
          aria-label={`Beginning of ${name}`}
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
  if (grant.decision === 'never') return `No call of ${names} is made in this project until you revoke this.`;
  const where = describeBoundArguments({ decision: 'allow', where: boundArguments(grant, first.arguments) });
  return `Calls of ${names} are made without asking, ${where}. You can revoke this in Settings, Approvals.`;
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
        label="How far this answer reaches"
        value={scope}
        options={scopes.map((value) => [value, scopeText[value]] as const)}
        onChange={onScope}
      >
        <span className="text-muted">This answer holds</span>
      </InlineSelect>
      {!scopes.includes('run') && (
        <p className="text-xs text-muted">
          Text that is not trusted may be in it, so such calls are asked for each time.
        </p>
      )}
      {rows.length > 0 && (
        <ul aria-label="Arguments it binds" className="space-y-1.5">
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
