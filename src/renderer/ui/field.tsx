import { useId, type ReactNode } from 'react';
import { text } from '../locales/text';
import { classNames } from './class-names';

/** The look of every text box and list of choices. */
export const controlLook =
  'readable mt-1 w-full min-w-0 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent aria-invalid:border-danger-text read-only:bg-surface disabled:bg-surface disabled:text-muted';

export interface FieldProps {
  readonly label: ReactNode;
  /** False marks the field as optional; absent says nothing about it. */
  readonly required?: boolean | undefined;
  readonly hint?: string | undefined;
  /** What is wrong with the value. */
  readonly problems?: readonly string[] | undefined;
}

interface ControlAttributes {
  readonly id: string;
  readonly 'aria-required': boolean | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

/** The attributes that connect a control to its label, and the hint and problems to show below it. */
function useField({ required, hint, problems = [] }: Omit<FieldProps, 'label'>) {
  const id = useId();
  const ids = [hint ? `${id}-hint` : '', problems.length > 0 ? `${id}-problems` : ''];
  const attributes: ControlAttributes = {
    id,
    'aria-required': required,
    'aria-invalid': problems.length > 0 || undefined,
    'aria-describedby': ids.join(' ').trim() || undefined,
  };
  const below = (
    <>
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs wrap-anywhere text-muted">
          {hint}
        </p>
      )}
      {problems.length > 0 && (
        <ul id={`${id}-problems`} className="mt-1 space-y-0.5 text-xs text-danger-text">
          {problems.map((problem) => (
            <li key={problem} className="wrap-anywhere">
              {problem}
            </li>
          ))}
        </ul>
      )}
    </>
  );
  return { attributes, below };
}

function Label({ label, required }: FieldProps) {
  return (
    <>
      {label}
      {required === false && <span className="font-normal text-muted"> {text('ui.field.optional')}</span>}
    </>
  );
}

/** A control with a label above, and a hint and problems below. */
export function Field(
  props: FieldProps & { readonly children: (attributes: ControlAttributes) => ReactNode },
) {
  const { attributes, below } = useField(props);
  return (
    <div className="min-w-0">
      <label htmlFor={attributes.id} className="text-sm font-medium wrap-anywhere">
        <Label {...props} />
      </label>
      {props.children(attributes)}
      {below}
    </div>
  );
}

/** Several controls under one heading. */
export function FieldGroup({ children, ...props }: FieldProps & { readonly children: ReactNode }) {
  const { attributes, below } = useField(props);
  return (
    <fieldset aria-describedby={attributes['aria-describedby']} className="min-w-0">
      <legend className="text-sm font-medium wrap-anywhere">
        <Label {...props} />
      </legend>
      {children}
      {below}
    </fieldset>
  );
}

export interface LineFieldProps extends FieldProps {
  readonly value: string;
  readonly type?: 'text' | 'number' | 'date';
  readonly mono?: boolean | undefined;
  /** Values suggested while typing. */
  readonly suggestions?: readonly string[] | undefined;
  readonly onChange: (value: string) => void;
}

/** One line of text. A number is typed as text too, so that a half-typed one is not lost. */
export function LineField({ value, type = 'text', mono, suggestions, onChange, ...field }: LineFieldProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            dir="auto"
            type={type === 'date' ? 'date' : 'text'}
            inputMode={type === 'number' ? 'decimal' : 'text'}
            list={suggestions && `${attributes.id}-names`}
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
            className={classNames(controlLook, 'h-8', mono && 'font-mono')}
          />
          {suggestions && (
            <datalist id={`${attributes.id}-names`}>
              {suggestions.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

export interface TextAreaFieldProps extends FieldProps {
  readonly value: string;
  readonly rows: number;
  readonly mono?: boolean | undefined;
  readonly spellCheck?: boolean;
  readonly placeholder?: string;
  /** A control below the text. */
  readonly extra?: ReactNode;
  readonly onChange: (value: string) => void;
}

/** Several lines of text. */
export function TextAreaField({ value, mono, extra, onChange, ...rest }: TextAreaFieldProps) {
  const { rows, spellCheck, placeholder, ...field } = rest;
  return (
    <Field {...field}>
      {(attributes) => (
        <>
          <textarea
            {...attributes}
            dir="auto"
            rows={rows}
            spellCheck={spellCheck}
            placeholder={placeholder}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
            className={classNames(controlLook, 'block py-1.5 leading-5', mono && 'font-mono')}
          />
          {extra}
        </>
      )}
    </Field>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

export interface ChoiceFieldProps extends FieldProps {
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

/** A list with one choice; a value outside the list stays visible. */
export function ChoiceField({ value, options, onChange, ...field }: ChoiceFieldProps) {
  const known = options.some((option) => option.value === value);
  const clearable = field.required !== undefined && value !== '';
  return (
    <Field {...field}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          className={classNames(controlLook, 'h-8')}
        >
          {!known && <option value={value}>{value === '' ? text('ui.field.choose') : value}</option>}
          {clearable && <option value="">{text('ui.field.choose')}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const boxLook = 'size-4 shrink-0 accent-accent-strong';

export interface ChoicesFieldProps extends FieldProps {
  readonly values: readonly string[];
  readonly options: readonly Option[];
  readonly onChange: (values: readonly string[]) => void;
}

/** A list with any number of choices, as checkboxes. */
export function ChoicesField({ values, options, onChange, ...field }: ChoicesFieldProps) {
  const ticked = (value: string, on: boolean) =>
    options.map((option) => option.value).filter((one) => (one === value ? on : values.includes(one)));
  return (
    <FieldGroup {...field}>
      <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {options.map(({ value, label }) => (
          <label key={value} className="flex min-w-0 items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              checked={values.includes(value)}
              onChange={(event) => onChange(ticked(value, event.currentTarget.checked))}
              className={boxLook}
            />
            <span className="wrap-anywhere">{label}</span>
          </label>
        ))}
      </div>
    </FieldGroup>
  );
}

export interface CheckFieldProps extends FieldProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** A single checkbox. */
export function CheckField({ label, checked, onChange, ...field }: CheckFieldProps) {
  const { attributes, below } = useField(field);
  return (
    <div className="min-w-0">
      <label className="flex min-h-8 items-center gap-2 text-sm font-medium">
        <input
          {...attributes}
          type="checkbox"
          checked={checked}
          onChange={(event) => onChange(event.currentTarget.checked)}
          className={boxLook}
        />
        {label}
      </label>
      {below}
    </div>
  );
}
