import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classNames } from './class-names';
import { Tooltip } from './tooltip';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon;
  /** The action; read aloud and shown as the tooltip. */
  readonly label: string;
  readonly keys?: string | undefined;
  /** Omits the tooltip, which cannot render above a modal dialog; the label is still read aloud. */
  readonly bare?: boolean;
}

export function IconButton({ icon: Icon, label, keys, bare, className, ...rest }: IconButtonProps) {
  const button = (
    <button
      type="button"
      aria-label={label}
      className={classNames(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-text aria-pressed:bg-active aria-pressed:text-text disabled:opacity-40',
        className,
      )}
      {...rest}
    >
      <Icon aria-hidden size={16} strokeWidth={1.75} />
    </button>
  );
  return bare ? (
    button
  ) : (
    <Tooltip text={label} keys={keys}>
      {button}
    </Tooltip>
  );
}
