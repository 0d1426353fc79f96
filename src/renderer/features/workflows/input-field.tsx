import type { WorkflowInput } from '#shared/workflow';
import { useId } from 'react';

export interface InputFieldProps {
  readonly input: WorkflowInput;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

const look =
  'readable mt-1 w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent aria-invalid:border-danger-text';

/** The allowed answers, if only certain ones are. */
function optionsOf({ type, validation }: WorkflowInput): readonly string[] | null {
  if (type === 'boolean') return ['yes', 'no'];
  return type === 'choice' ? (validation.options ?? []) : null;
}

/** One input of a workflow, with any error in the answer below it. */
export function InputField({ input, value, problem, onChange }: InputFieldProps) {
  const id = useId();
  const options = optionsOf(input);
  const shared = {
    id,
    value,
    dir: 'auto',
    'aria-required': input.required,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
  };
  const long = input.type === 'text' && (input.validation.maxLength ?? 1_000) > 200;
  return (
    <div>
      <label htmlFor={id} className="text-sm font-medium">
        <bdi>{input.question}</bdi>
        {!input.required && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      {options ? (
        <select {...shared} className={`${look} h-8`} onChange={(event) => onChange(event.target.value)}>
          <option value="">Choose…</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : long ? (
        <textarea
          {...shared}
          rows={2}
          className={`${look} py-1.5`}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <input
          {...shared}
          autoComplete="off"
          spellCheck={false}
          inputMode={input.type === 'number' ? 'decimal' : 'text'}
          className={`${look} h-8`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="mt-1 text-xs text-danger-text">
          {problem}
        </p>
      )}
    </div>
  );
}
