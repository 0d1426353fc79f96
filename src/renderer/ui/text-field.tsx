import type { ComponentProps, ReactNode } from 'react';
import { Field } from './field';

export interface TextFieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: string;
  readonly problems?: readonly string[];
  /** A control at the end of the field. */
  readonly extra?: ReactNode;
}

/** A one-line text field of a dialog; it passes every other attribute to the input. */
export function TextField({ label, hint, problems, extra, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} problems={problems}>
      {({ 'aria-required': _required, ...attributes }) => (
        <div className="mt-1 flex items-center gap-1">
          <input
            {...attributes}
            autoComplete="off"
            spellCheck={false}
            className="readable h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-canvas px-2.5 text-sm outline-none focus:border-accent aria-invalid:border-danger-text"
            {...rest}
          />
          {extra}
        </div>
      )}
    </Field>
  );
}
