import type { AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { WorkflowInput } from '#shared/workflow';
import type { WorkflowRun } from '#shared/workflow-state';
import { useState, type FormEvent } from 'react';
import { z } from 'zod';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { useCardDraft } from '../../store/card-drafts';
import { draftCards } from '../../store/drafts';
import { Button } from '../../ui/button';
import { ChoiceField, LineField, TextAreaField, type Option } from '../../ui/field';

const spoken = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** The possible answers; null if any answer is possible. */
function optionsOf({ type, validation }: WorkflowInput): readonly Option[] | null {
  const yesNo = [
    { value: 'yes', label: text('workflows.inputs.yes') },
    { value: 'no', label: text('workflows.inputs.no') },
  ];
  if (type === 'boolean') return yesNo;
  if (type !== 'choice') return null;
  return (validation.options ?? []).map((value) => ({ value, label: value }));
}

/** A text that may have more characters than this gets a text box. */
const longText = 200;

interface InputFieldProps {
  readonly input: WorkflowInput;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

/** One input of a workflow. */
function InputField({ input, value, problem, onChange }: InputFieldProps) {
  const { type, question, required, validation } = input;
  const options = optionsOf(input);
  const field = { label: <bdi>{question}</bdi>, required, problems: problem === undefined ? [] : [problem] };
  if (options) return <ChoiceField {...field} value={value} options={options} onChange={onChange} />;
  if (type === 'text' && (validation.maxLength ?? Infinity) > longText)
    return <TextAreaField {...field} rows={2} value={value} onChange={onChange} />;
  return (
    <LineField {...field} type={type === 'number' ? 'number' : 'text'} value={value} onChange={onChange} />
  );
}

const Values = z.record(z.string(), z.string());

/** The inputs that a workflow needs before anything else; a model's proposals are filled in for editing. */
export function InputsForm({ run }: { readonly run: WorkflowRun }) {
  const { commands } = useApp();
  const { RequiredInputs } = run.definition;
  const draft = useCardDraft(draftCards.inputs(run.workflowRunId), Values, () =>
    Object.fromEntries(RequiredInputs.map(({ name }) => [name, spoken(run.proposed[name])])),
  );
  const { value: values } = draft;
  const [error, setError] = useState<AppError | null>(null);
  const proposed = Object.keys(run.proposed).length > 0;
  const problemOf = (name: string) => error?.problems?.find(({ field }) => field === name)?.reason;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const inputs: JsonObject = Object.fromEntries(
      Object.entries(values).filter(([, value]) => value.trim() !== ''),
    );
    const problem = await commands.actOnWorkflow({ type: 'give-inputs', inputs });
    setError(problem);
    if (!problem) draft.drop();
  };
  return (
    <form
      aria-label={text('workflows.inputs.label')}
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => void submit(event)}
    >
      {proposed && <p className="text-sm text-muted">{text('workflows.inputs.proposed')} </p>}
      {RequiredInputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={values[input.name] ?? ''}
          problem={problemOf(input.name)}
          onChange={(value) => draft.type({ ...values, [input.name]: value })}
        />
      ))}
      {error && !error.problems && <p className="text-sm text-danger-text">{error.message}</p>}
      <div className="flex justify-end">
        <Button type="submit" tone="primary">
          {text('workflows.inputs.continue')}
        </Button>
      </div>
    </form>
  );
}
