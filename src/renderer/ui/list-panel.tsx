import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../locales/text';
import { classNames } from './class-names';
import { IconButton } from './icon-button';
import { stepInRows } from './list-rows';
import { Modal } from './modal';

export interface ListPanelProps {
  /** The dialog's label: "Workflows". */
  readonly label: string;
  /** The noun in a sentence: "workflows". */
  readonly noun: string;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** Rendered beside the search field. */
  readonly actions?: ReactNode;
  readonly list: ReactNode;
  /** Whether an item is open beside the list; in a narrow window it replaces the list. */
  readonly open: boolean;
  readonly onClose: () => void;
  readonly className: string;
  readonly children: ReactNode;
}

type SearchProps = Pick<ListPanelProps, 'noun' | 'search' | 'onSearch' | 'actions' | 'onClose'>;

function Search({ noun, search, onSearch, actions, onClose }: SearchProps) {
  return (
    <div className="flex items-center gap-1 border-b border-line ps-3 pe-2">
      <input
        data-autofocus
        data-search
        type="search"
        aria-label={text('ui.list.searchLabel', { noun })}
        placeholder={text('ui.list.search', { noun })}
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        maxLength={200}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
        className="h-11 min-w-0 flex-1 bg-transparent text-sm outline-none [&::-webkit-search-cancel-button]:hidden"
      />
      {actions}
      <IconButton
        bare
        icon={X}
        label={text('ui.list.close', { noun })}
        className="narrow:hidden"
        onClick={onClose}
      />
    </div>
  );
}

/**
 * A dialog with a searchable list and the selected item; arrow keys move from the search field through the
 * list.
 */
export function ListPanel({
  label,
  noun,
  list,
  open,
  onClose,
  className,
  children,
  ...search
}: ListPanelProps) {
  return (
    <Modal
      label={label}
      onClose={onClose}
      className={classNames('max-w-[calc(100vw-2rem)] open:flex', className)}
    >
      <div
        onKeyDown={stepInRows}
        className={classNames(
          'flex w-72 shrink-0 flex-col border-e border-line max-narrow:w-full max-narrow:border-0',
          open && 'max-narrow:hidden',
        )}
      >
        <h1 className="sr-only">{label}</h1>
        <Search {...search} noun={noun} onClose={onClose} />
        <div className="relative min-h-0 grow overflow-y-auto p-1.5">{list}</div>
      </div>
      <div className={classNames('relative min-w-0 flex-1', !open && 'max-narrow:hidden')}>
        {children}
        <IconButton
          bare
          icon={X}
          label={text('ui.list.close', { noun })}
          onClick={onClose}
          className="absolute top-2 end-2"
        />
      </div>
    </Modal>
  );
}
