import { busyTurn } from '#shared/attention';
import { Pencil, X } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { maxMessageLength } from '#shared/input-line';
import { isCommandLine, type QueuedLine, type QueueTime } from '#shared/line-queue';
import { text } from '../../locales/text';
import { useApp, useCurrentSession } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { InlineSelect } from '../../ui/inline-select';

const times: readonly (readonly [QueueTime, string])[] = [
  ['now', text('composer.queue.now')],
  ['stage', text('composer.queue.stage')],
  ['after', text('composer.queue.after')],
];

interface EditProps {
  readonly line: QueuedLine;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Enter saves, Shift+Enter is a new line, Esc cancels. */
function EditLine({ line, onSave, onCancel }: EditProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), []);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || (event.key !== 'Escape' && event.key !== 'Enter')) return;
    if (event.shiftKey) return;
    event.preventDefault();
    const changed = event.currentTarget.value;
    if (event.key === 'Enter' && changed.trim() !== '' && changed !== line.text) onSave(changed);
    else onCancel();
  };
  return (
    <textarea
      ref={field}
      autoFocus
      dir="auto"
      rows={2}
      aria-label={text('composer.queue.editField')}
      defaultValue={line.text}
      maxLength={maxMessageLength}
      onKeyDown={onKeyDown}
      className="field-sizing-content max-h-40 min-w-0 grow basis-60 resize-none rounded-md border border-accent bg-canvas px-2 py-1 text-sm text-text outline-none"
    />
  );
}

function Line({ line }: { readonly line: QueuedLine }) {
  const { commands } = useApp();
  const [editing, setEditing] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const { lineId, when } = line;
  // A command was routed when it was typed, so its text is fixed.
  const isCommand = isCommandLine(line);
  const leave = () => {
    setEditing(false);
    // The button is back once the field is gone.
    requestAnimationFrame(() => row.current?.querySelector('button')?.focus());
  };
  const save = (changed: string) => {
    void commands.editLine({ lineId, text: changed });
    leave();
  };
  return (
    <li ref={row} className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1">
      {editing ? (
        <EditLine line={line} onSave={save} onCancel={leave} />
      ) : (
        <span dir="auto" title={line.text} className="readable min-w-0 grow basis-48 truncate text-sm">
          {line.text}
          {isCommand && <span className="ms-2 text-xs text-muted">{text('composer.queue.command')}</span>}
        </span>
      )}
      <span className="ms-auto flex items-center gap-1">
        <InlineSelect
          label={text('composer.queue.when')}
          value={when}
          options={times}
          onChange={(chosen) => void commands.editLine({ lineId, when: chosen })}
        />
        {!isCommand && (
          <IconButton icon={Pencil} label={text('composer.queue.edit')} onClick={() => setEditing(true)} />
        )}
        <IconButton
          icon={X}
          label={text('composer.queue.withdraw')}
          onClick={() => void commands.withdrawLine(lineId)}
        />
      </span>
    </li>
  );
}

/** The lines that wait for the turn in progress, above the composer. */
export function QueuedLines() {
  const { commands } = useApp();
  const queue = useCurrentSession((session) => session?.queue);
  const busy = useCurrentSession((session) => busyTurn(session) !== undefined);
  if (!queue) return null;
  const { lines, paused } = queue;
  return (
    <section
      aria-labelledby="queue-label"
      className="mb-2 rounded-xl border border-line bg-surface py-1 text-text"
    >
      <div className="flex flex-wrap items-center gap-2 px-3 py-0.5">
        <h2 id="queue-label" role="status" className="text-xs font-medium text-muted">
          {text(paused ? 'composer.queue.paused' : 'composer.queue.name', { count: lines.length })}
        </h2>
        {paused && (
          <Button className="ms-auto h-7 px-2" onClick={() => void commands.resumeQueue()}>
            {text(busy ? 'composer.queue.resumeLater' : 'composer.queue.resume')}
          </Button>
        )}
      </div>
      <ul className="max-h-[30vh] overflow-y-auto">
        {lines.map((line) => (
          <Line key={line.lineId} line={line} />
        ))}
      </ul>
    </section>
  );
}
