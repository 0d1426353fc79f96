import type { AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { WorkflowRun } from '#shared/workflow-state';
import { useState, type FormEvent } from 'react';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { InputField } from './input-field';

const spoken = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** The inputs that a workflow needs before anything else; a model's proposals are filled in for editing. */
export function InputsForm({ run }: { readonly run: WorkflowRun }) {
  const { commands } = useApp();
  const { RequiredInputs } = run.definition;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(RequiredInputs.map(({ name }) => [name, spoken(run.proposed[name])])),
  );
  const [error, setError] = useState<AppError | null>(null);
  const proposed = Object.keys(run.proposed).length > 0;
  const problemOf = (name: string) => error?.problems?.find(({ field }) => field === name)?.reason;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const inputs: JsonObject = Object.fromEntries(
      Object.entries(values).filter(([, value]) => value.trim() !== ''),
    );
    setError(await commands.actOnWorkflow({ type: 'give-inputs', inputs }));
  };
  return (
    <form
      aria-label="What the workflow needs to know"
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => void submit(event)}
    >
      {proposed && (
        <p className="text-sm text-muted">
          The model filled in what it understood. Check it before you go on.
        </p>
      )}
      {RequiredInputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={values[input.name] ?? ''}
          problem={problemOf(input.name)}
          onChange={(value) => setValues((held) => ({ ...held, [input.name]: value }))}
        />
      ))}
      {error && !error.problems && <p className="text-sm text-danger-text">{error.message}</p>}
      <div className="flex justify-end">
        <Button type="submit" tone="primary">
          Continue
        </Button>
      </div>
    </form>
  );
}
