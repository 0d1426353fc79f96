import { useId } from 'react';

export interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
}

/** A native select with a label above; unlike a custom list, it also opens above a modal dialog. */
export function SelectField({ label, value, options, disabled, onChange }: SelectFieldProps) {
  const id = useId();
  // The selected value may have left the list but is still selected.
  const known = options.some((option) => option.value === value);
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="text-xs font-medium text-muted">
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value)}
        className="mt-1 h-8 w-full min-w-0 truncate rounded-md border border-line-strong bg-canvas px-2 text-sm text-text outline-none focus:border-accent disabled:text-muted"
      >
        {!known && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
