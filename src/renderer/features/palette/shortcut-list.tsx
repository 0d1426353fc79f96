import { X } from 'lucide-react';
import { text } from '../../locales/text';
import { actionGroups, useActionRows } from '../../actions/action-rows';
import { useApp } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { Keys } from '../../ui/keys';
import { Modal } from '../../ui/modal';

/** The composer's own keys; all other shortcuts come from rows. */
const writing = [
  { id: 'send', keys: 'Enter', label: text('palette.shortcuts.send') },
  { id: 'newline', keys: 'Shift+Enter', label: text('palette.shortcuts.newLine') },
  { id: 'edit', keys: 'ArrowUp', label: text('palette.shortcuts.editLast') },
  { id: 'undo', keys: 'Mod+Z', label: text('palette.shortcuts.undoLast') },
];

interface GroupProps {
  readonly name: (typeof actionGroups)[number] | 'writing';
  readonly rows: readonly { readonly id: string; readonly label: string; readonly keys?: string }[];
}

function Group({ name, rows }: GroupProps) {
  const id = `shortcuts-${name}`;
  return (
    <section aria-labelledby={id} className="py-2">
      <h3 id={id} className="text-2xs font-medium text-muted">
        {text(`shared.groups.${name}`)}
      </h3>
      <ul>
        {rows.map(({ id: row, keys, label }) => (
          <li key={row} className="flex min-h-8 items-center justify-between gap-4 text-sm">
            <span className="min-w-0">{label}</span> {keys && <Keys keys={keys} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** All current shortcuts. */
export function ShortcutList() {
  const { view } = useApp();
  const rows = useActionRows().filter(({ keys }) => keys !== undefined);
  const close = () => view.set({ dialog: null });
  return (
    <Modal
      label={text('palette.shortcuts.title')}
      onClose={close}
      className="mt-[10vh] w-[30rem] max-w-[calc(100vw-2rem)] open:flex open:flex-col"
    >
      <div className="flex h-12 shrink-0 items-center border-b border-line pe-2 ps-4">
        <h2 className="flex-1 font-semibold">{text('palette.shortcuts.title')}</h2>
        <Button
          tone="quiet"
          className="h-7 px-2"
          onClick={() => view.set({ dialog: { kind: 'settings', section: 'shortcuts' } })}
        >
          {text('palette.shortcuts.change')}
        </Button>
        <IconButton bare icon={X} label={text('palette.shortcuts.close')} onClick={close} />
      </div>
      <div
        tabIndex={0}
        role="group"
        aria-label={text('palette.shortcuts.all')}
        className="max-h-[65vh] overflow-y-auto px-4 py-2"
      >
        <Group name="writing" rows={writing} />
        {actionGroups.map((name) => {
          const inGroup = rows.filter(({ group }) => group === name);
          return inGroup.length > 0 && <Group key={name} name={name} rows={inGroup} />;
        })}
      </div>
    </Modal>
  );
}
