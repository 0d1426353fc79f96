import { X } from 'lucide-react';
import { actionRows } from '../../actions/action-rows';
import { useApp } from '../../store/app-context';
import { IconButton } from '../../ui/icon-button';
import { Keys } from '../../ui/keys';
import { Modal } from '../../ui/modal';

/** Keys of the composer; the rest are rows of the action table. */
const composerKeys = [
  { keys: 'Enter', label: 'Send' },
  { keys: 'Shift+Enter', label: 'New line' },
  { keys: 'ArrowUp', label: 'In an empty message: edit the last line' },
];

/** All shortcuts. */
export function ShortcutList() {
  const { view } = useApp();
  const close = () => view.set({ dialog: null });
  const rows = [...composerKeys, ...actionRows];
  return (
    <Modal label="Shortcuts" onClose={close} className="mt-[10vh] w-[30rem] max-w-[calc(100vw-2rem)]">
      <div className="flex h-12 items-center border-b border-line pr-2 pl-4">
        <h2 className="flex-1 font-semibold">Shortcuts</h2>
        <IconButton bare icon={X} label="Close" onClick={close} />
      </div>
      <ul className="max-h-[65vh] overflow-y-auto px-4 py-2">
        {rows.map(({ keys, label }) =>
          keys === undefined ? null : (
            <li key={label} className="flex h-8 items-center justify-between gap-4 text-sm">
              {label} <Keys keys={keys} />
            </li>
          ),
        )}
      </ul>
    </Modal>
  );
}
