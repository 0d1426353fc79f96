import { Popover } from 'radix-ui';
import { useEffect, useRef, type ReactElement } from 'react';
import { text } from '../../locales/text';
import { classNames } from '../../ui/class-names';
import { EntityName } from '../../ui/entity-name';
import type { SlashOption } from './slash-text';
import type { SlashMenuState } from './use-slash';

export const slashOptionId = (menu: string, index: number) => `${menu}-${index}`;

interface RowProps {
  readonly id: string;
  readonly option: SlashOption;
  readonly active: boolean;
  readonly onTake: () => void;
  readonly onActivate: () => void;
}

function Row({ id, option, active, onTake, onActivate }: RowProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div
      ref={row}
      id={id}
      role="option"
      aria-selected={active}
      // Keeps the focus in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
      onPointerMove={onActivate}
      className={classNames('flex min-h-8 items-baseline gap-2 rounded-md px-2 py-1', active && 'bg-hover')}
    >
      <EntityName text={option.name} className="max-w-[60%] shrink-0 truncate font-medium" />
      <EntityName text={option.note} className="max-w-[40%] shrink-0 truncate text-xs text-muted" />
      <EntityName text={option.about} className="truncate text-xs text-muted" />
    </div>
  );
}

export interface SlashMenuProps {
  readonly label?: string;
  readonly menu: SlashMenuState;
  /** The element below the menu. */
  readonly children: ReactElement;
}

/**
 * The menu above the composer while a line begins with a slash; the field keeps the focus and receives the
 * keys.
 */
export function SlashMenu({ menu, label = text('composer.slash.commands'), children }: SlashMenuProps) {
  const { id, options, active, activate, complete, leave } = menu;
  return (
    <Popover.Root open={options.length > 0}>
      <Popover.Anchor asChild>{children}</Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          role="presentation"
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onEscapeKeyDown={(event) => event.preventDefault()}
          onInteractOutside={leave}
          className="z-40 w-[var(--radix-popover-trigger-width)] max-w-[36rem] rounded-lg bg-overlay p-1 text-sm shadow-overlay outline-none"
        >
          {/* Focusable, so that a list longer than the menu can be scrolled with the keyboard, too. */}
          <div
            id={id}
            role="listbox"
            tabIndex={0}
            aria-label={label}
            className="max-h-72 overflow-y-auto focus-visible:-outline-offset-2"
          >
            {options.map((option, index) => (
              <Row
                key={option.key}
                id={slashOptionId(id, index)}
                option={option}
                active={index === active}
                onTake={() => complete(option)}
                onActivate={() => index !== active && activate(index)}
              />
            ))}
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
