import type { AppError } from '#shared/app-error';
import {
  fieldMaximums,
  type BudgetChange,
  type BudgetSettings,
  type NodeBudgets,
  type RunBudgets,
} from '#shared/budgets';
import type { Result } from '#shared/result';
import { useCallback, useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { ErrorCard } from '../../ui/error-card';
import { NumberField } from '../../ui/number-field';

type Limit = (
  | { readonly part: 'run'; readonly field: keyof RunBudgets }
  | { readonly part: 'node'; readonly field: keyof NodeBudgets }
) & {
  /** How many of the file's units are one of the window's; absent: 1. */
  readonly unit?: number;
  /** The smallest value, in the window's unit; absent: 1. */
  readonly min?: number;
};

const limits: readonly Limit[] = [
  { part: 'run', field: 'tokens' },
  { part: 'run', field: 'wall_ms', unit: 60_000, min: 0.1 },
  { part: 'run', field: 'tool_calls' },
  { part: 'run', field: 'nodes' },
  { part: 'run', field: 'stages' },
  { part: 'run', field: 'replans', min: 0 },
  { part: 'node', field: 'tokens' },
  { part: 'node', field: 'cpu_ms', unit: 1_000, min: 0.1 },
  { part: 'node', field: 'mem_mb' },
  { part: 'node', field: 'tool_calls' },
  { part: 'node', field: 'output_bytes' },
  { part: 'node', field: 'max_ops' },
];

const largest = 1_000_000_000;
const maximums: Readonly<Record<string, number>> = fieldMaximums;

const labelOf = (limit: Limit): string =>
  limit.part === 'run'
    ? text(`settings.limits.run.${limit.field}`)
    : text(`settings.limits.node.${limit.field}`);

const changeOf = (limit: Limit, value: number | null): BudgetChange =>
  limit.part === 'run'
    ? { part: limit.part, field: limit.field, value }
    : { part: limit.part, field: limit.field, value };

interface LimitFieldProps {
  readonly limit: Limit;
  readonly settings: BudgetSettings;
  readonly onChange: (change: BudgetChange) => void;
}

function LimitField({ limit, settings, onChange }: LimitFieldProps) {
  const { part, field, unit = 1, min = 1 } = limit;
  const own: Readonly<Record<string, number | undefined>> = settings.own[part] ?? {};
  const defaults: Readonly<Record<string, number | undefined>> = settings.defaults[part];
  const [value, standard] = [own[field], defaults[field]];
  return (
    <NumberField
      label={labelOf(limit)}
      value={value === undefined ? undefined : value / unit}
      placeholder={standard === undefined ? '' : String(standard / unit)}
      whole={unit === 1}
      min={min}
      max={(maximums[field] ?? largest) / unit}
      onChange={(entered) =>
        onChange(changeOf(limit, entered === undefined ? null : Math.round(entered * unit)))
      }
    />
  );
}

/** What runs of Agent Mode may use in the project, stored in the project's `budgets.json`. */
export function LimitsSection() {
  const { budgetSettings, setBudget } = useCommands();
  const [settings, setSettings] = useState<BudgetSettings | null>(null);
  const [problem, setProblem] = useState<AppError | null>(null);
  const take = useCallback((result: Result<BudgetSettings>): void => {
    setProblem(result.ok ? null : result.error);
    if (result.ok) setSettings(result.value);
  }, []);
  useEffect(() => void budgetSettings().then(take), [budgetSettings, take]);
  return (
    <>
      <p className="text-sm text-muted">{text('settings.limits.about')}</p>
      {problem && <ErrorCard error={problem} />}
      {settings && (
        <>
          {(['run', 'node'] as const).map((part) => (
            <fieldset key={part} className="min-w-0">
              <legend className="font-medium">{text(`settings.limits.of.${part}`)}</legend>
              <div className="mt-2 grid grid-cols-2 gap-x-4 gap-y-3 max-narrow:grid-cols-1">
                {limits
                  .filter((limit) => limit.part === part)
                  .map((limit) => (
                    <LimitField
                      key={limit.field}
                      limit={limit}
                      settings={settings}
                      onChange={(change) => void setBudget(change).then(take)}
                    />
                  ))}
              </div>
            </fieldset>
          ))}
          <p className="readable text-xs text-muted wrap-anywhere">
            {text('settings.limits.file', { file: settings.file })}
          </p>
        </>
      )}
    </>
  );
}
