import type { ComponentProps } from 'react';
import { classNames } from './class-names';

type Tone = 'primary' | 'plain' | 'quiet' | 'danger';

const tones: Readonly<Record<Tone, string>> = {
  // The border is only seen in forced colours, which draw no background.
  primary:
    'border border-transparent bg-accent-strong text-on-accent hover:brightness-110 disabled:bg-track disabled:text-muted',
  plain: 'border border-line-strong bg-canvas text-text shadow-raised hover:bg-surface disabled:text-muted',
  quiet: 'text-muted hover:bg-hover hover:text-text aria-expanded:bg-active aria-expanded:text-text',
  danger: 'border border-line-strong bg-canvas text-danger-text shadow-raised hover:bg-danger-soft',
};

export interface ButtonProps extends ComponentProps<'button'> {
  readonly tone?: Tone;
}

export function Button({ tone = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={classNames(
        'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium whitespace-nowrap transition-colors',
        tones[tone],
        className,
      )}
      {...rest}
    />
  );
}
