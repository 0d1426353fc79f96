import { useId } from 'react';
import type { ElicitField } from '#shared/elicitation';
import type { FieldInput } from '#shared/elicitation-check';

export interface ElicitationFieldProps {
  readonly field: ElicitField;
  readonly typed: FieldInput;
  readonly problem: string | undefined;
  readonly onChange: (typed: FieldInput) => void;
}

const look =
  'readable mt-1 w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent aria-invalid:border-danger-text';

/** A text field that allows more characters than this is a multi-line field. */
const longText = 200;

const isLong = (field: ElicitField): boolean => field.kind === 'text' && (field.maxLength ?? 0) > longText;

const yesNo = [
  { value: 'yes', label: 'Yes' },
  { value: 'no', label: 'No' },
];

function Optional({ field }: Pick<ElicitationFieldProps, 'field'>) {
  return field.required ? null : <span className="font-normal text-muted"> (optional)</span>;
}

/** The server's description of the field, and the error in the answer. */
function Below({ id, field, problem }: Pick<ElicitationFieldProps, 'field' | 'problem'> & { id: string }) {
  return (
    <>
      {field.description !== '' && (
        <p id={`${id}-about`} className="mt-1 text-xs wrap-anywhere text-muted">
          {field.description}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="mt-1 text-xs text-danger-text">
          {problem}
        </p>
      )}
    </>
  );
}

function describedBy(id: string, { description }: ElicitField, problem: string | undefined) {
  const ids = [description === '' ? '' : `${id}-about`, problem === undefined ? '' : `${id}-problem`];
  return ids.join(' ').trim() || undefined;
}

type SomeOf = Omit<ElicitationFieldProps, 'field'> & {
  readonly field: Extract<ElicitField, { kind: 'some-of' }>;
};

/** A multiple choice, with one checkbox per item. */
function SomeOfField({ field, typed, problem, onChange }: SomeOf) {
  const id = useId();
  const chosen = new Set(typeof typed === 'string' ? [] : typed);
  const tick = (value: string, on: boolean): void =>
    onChange(
      field.options.map((option) => option.value).filter((one) => (one === value ? on : chosen.has(one))),
    );
  return (
    <fieldset aria-describedby={describedBy(id, field, problem)}>
      <legend className="text-sm font-medium wrap-anywhere">
        {field.label}
        <Optional field={field} />
      </legend>
      <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {field.options.map(({ value, label }) => (
          <label key={value} className="flex min-w-0 items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              className="accent-accent"
              checked={chosen.has(value)}
              onChange={(event) => tick(value, event.target.checked)}
            />
            <span className="wrap-anywhere">{label}</span>
          </label>
        ))}
      </div>
      <Below id={id} field={field} problem={problem} />
    </fieldset>
  );
}

/** The control for a one-line answer or a single choice. */
function Control({ field, typed, problem, onChange, id }: ElicitationFieldProps & { readonly id: string }) {
  const shared = {
    id,
    value: typeof typed === 'string' ? typed : '',
    'aria-required': field.required,
    'aria-invalid': problem !== undefined,
    'aria-describedby': describedBy(id, field, problem),
    onChange: (event: { readonly target: { readonly value: string } }) => onChange(event.target.value),
  };
  if (field.kind === 'yes-no' || field.kind === 'one-of') {
    const options = field.kind === 'one-of' ? field.options : yesNo;
    return (
      <select {...shared} className={`${look} h-8`}>
        <option value="">Choose…</option>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  if (isLong(field)) return <textarea {...shared} rows={3} className={`${look} py-1.5`} />;
  const type = field.kind === 'text' && field.format === 'date' ? 'date' : 'text';
  const inputMode = field.kind === 'number' ? 'decimal' : 'text';
  return (
    <input
      {...shared}
      type={type}
      inputMode={inputMode}
      autoComplete="off"
      spellCheck={false}
      className={`${look} h-8`}
    />
  );
}

/** One field of a server's form, with any error in the answer below it. */
export function ElicitationField(props: ElicitationFieldProps) {
  const id = useId();
  const { field, problem } = props;
  if (field.kind === 'some-of') return <SomeOfField {...props} field={field} />;
  return (
    <div>
      <label htmlFor={id} className="text-sm font-medium wrap-anywhere">
        {field.label}
        <Optional field={field} />
      </label>
      <Control {...props} id={id} />
      <Below id={id} field={field} problem={problem} />
    </div>
  );
}
