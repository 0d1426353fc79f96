import { useId, type ComponentProps, type ReactNode } from 'react';

export interface TextFieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: string;
  /** A control at the end of the field. */
  readonly extra?: ReactNode;
}

/** A one-line text field with a label above and a hint below. */
export function TextField({ label, hint, extra, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div className="mt-1 flex items-center gap-1">
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={hint ? `${id}-hint` : undefined}
          className="readable h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent"
          {...rest}
        />
        {extra}
      </div>
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
