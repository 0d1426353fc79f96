import { visibleControls } from '#shared/direction-controls';
import { busyTurn } from '#shared/attention';
import { ArrowDown, ArrowUp, Paperclip, Pencil, X } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { maxMessageLength } from '#shared/input-line';
import { isCommandLine, type LineQueue, type QueuedLine, type QueueTime } from '#shared/line-queue';
import { text } from '../../locales/text';
import { useApp, useCurrentSession } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { InlineSelect } from '../../ui/inline-select';
import { pressed } from '../../ui/key-press';
import { shortText } from '../../ui/short-text';
import { useLostFocus } from '../../ui/use-lost-focus';

type Times = readonly (readonly [QueueTime, string])[];

const times: Times = [
  ['now', text('composer.queue.now')],
  ['stage', text('composer.queue.stage')],
  ['after', text('composer.queue.after')],
];
/** A reply has no stages, and neither has a session in which nothing is under way: a line is the next turn. */
const replyTimes: Times = [
  ['now', text('composer.queue.now')],
  ['stage', text('composer.queue.next')],
];

const nameLength = 60;
/** The name of a control of a line: screen readers list controls without what is beside them. */
const nameOf = (action: string, line: QueuedLine): string =>
  text('composer.queue.control', { action, line: shortText(line.text, nameLength) });

function TimeSelect({ line }: { readonly line: QueuedLine }) {
  const { commands } = useApp();
  const { lineId, when, items } = line;
  // A line with items waits for no stage.
  const follows = useCurrentSession((session) => {
    const busy = busyTurn(session);
    return items.length > 0 || !busy || busy.reply !== undefined;
  });
  return (
    <InlineSelect
      label={nameOf(text('composer.queue.when'), line)}
      value={follows && when === 'after' ? 'stage' : when}
      options={follows ? replyTimes : times}
      onChange={(chosen) => void commands.editLine({ lineId, when: chosen })}
    />
  );
}

/** What goes with a waiting line, by name. */
function Attached({ items }: Pick<QueuedLine, 'items'>) {
  if (items.length === 0) return null;
  const names = items.map(({ ref }) => visibleControls(ref.split('/').at(-1) || ref)).join(', ');
  const about = text('composer.queue.items', { count: items.length, names });
  return (
    <span dir="auto" title={about} className="flex max-w-full min-w-0 items-center gap-1 text-xs text-muted">
      <Paperclip aria-hidden size={12} className="shrink-0" />
      <span className="truncate">{about}</span>
    </span>
  );
}

interface EditProps {
  readonly line: QueuedLine;
  /** The user has just opened the edit here. */
  readonly opened: boolean;
}

/**
 * Edits a waiting line, which waits for the end of the edit: Enter saves, Shift+Enter is a new line, Esc cancels. A
 * text that was not saved stays a draft.
 */
function EditLine({ line: { lineId, text: old }, opened }: EditProps) {
  const { commands } = useApp();
  const [edited, setEdited] = useState(() => commands.unsentEdit(lineId) || old);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!opened) return;
    field.current?.focus();
    field.current?.select();
  }, [opened]);
  const write = (changed: string) => {
    setEdited(changed);
    commands.saveEdit(lineId, changed === old ? '' : changed);
  };
  const cancel = () => {
    commands.saveEdit(lineId, '');
    void commands.editLine({ lineId, held: false });
  };
  const save = () => {
    if (edited.trim() === '' || edited === old) cancel();
    else void commands.saveLine(lineId, edited);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== 'Escape' && event.key !== 'Enter')) return;
    if (event.shiftKey) return;
    event.preventDefault();
    // Escape also stops a reply: here it only closes the field.
    event.stopPropagation();
    if (event.key === 'Enter') save();
    else cancel();
  };
  return (
    <>
      <textarea
        ref={field}
        dir="auto"
        rows={2}
        aria-label={text('composer.queue.editField')}
        value={edited}
        maxLength={maxMessageLength}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-40 min-w-0 grow basis-60 resize-none rounded-md border border-accent bg-canvas px-2 py-1 text-sm text-text outline-none"
      />
      <span className="flex items-center gap-1">
        <Button tone="quiet" className="h-7 px-2" onClick={cancel}>
          {text('shared.cancel')}
        </Button>
        <Button className="h-7 px-2" onClick={save}>
          {text('shared.save')}
        </Button>
      </span>
    </>
  );
}

interface LineProps {
  readonly line: QueuedLine;
  /** Moves the line one place up (-1) or down (1); absent where there is no place. */
  readonly moves: Readonly<Record<-1 | 1, (() => void) | undefined>>;
}

const places = [
  [-1, ArrowUp, 'composer.queue.moveUp', 'Alt+ArrowUp'],
  [1, ArrowDown, 'composer.queue.moveDown', 'Alt+ArrowDown'],
] as const;

/** Two buttons that stay focusable at the ends of the list, so that the focus stays on a line that moves. */
function MoveButtons({ line, moves }: LineProps) {
  if (!moves[-1] && !moves[1]) return null;
  return places.map(([by, icon, name, keys]) => (
    <IconButton
      key={by}
      icon={icon}
      label={text(name)}
      aria-label={nameOf(text(name), line)}
      keys={keys}
      aria-disabled={moves[by] === undefined}
      onClick={moves[by]}
      className="aria-disabled:opacity-40"
    />
  ));
}

function Line({ line, moves }: LineProps) {
  const { commands } = useApp();
  const [opened, setOpened] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const { lineId, held: isHeld = false } = line;
  const wasHeld = useRef(isHeld);
  useEffect(() => {
    // The button is back once the field is gone.
    if (wasHeld.current && !isHeld && document.activeElement === document.body) editButton.current?.focus();
    wasHeld.current = isHeld;
  }, [isHeld]);
  // A command was routed when it was typed, so its text is fixed.
  const isCommand = isCommandLine(line);
  const edit = async () => setOpened(await commands.editLine({ lineId, held: true }));
  const onKeyDown = (event: KeyboardEvent) => {
    const place = places.find(([, , , keys]) => pressed(event, keys));
    // A select opens with these keys.
    if (!place || !(event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    moves[place[0]]?.();
  };
  if (isHeld)
    return (
      <li className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1">
        <EditLine line={line} opened={opened} />
        <Attached items={line.items} />
      </li>
    );
  return (
    <li onKeyDown={onKeyDown} className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1">
      <div className="min-w-0 grow basis-48">
        <p dir="auto" title={line.text} className="readable truncate text-sm">
          {line.text}
          {isCommand && <span className="ms-2 text-xs text-muted">{text('composer.queue.command')}</span>}
        </p>
        <Attached items={line.items} />
      </div>
      <span className="ms-auto flex items-center gap-1">
        <TimeSelect line={line} />
        <MoveButtons line={line} moves={moves} />
        {!isCommand && (
          <IconButton
            ref={editButton}
            icon={Pencil}
            label={text('composer.queue.edit')}
            aria-label={nameOf(text('composer.queue.edit'), line)}
            onClick={() => void edit()}
          />
        )}
        <IconButton
          icon={X}
          label={text('composer.queue.withdraw')}
          aria-label={nameOf(text('composer.queue.withdraw'), line)}
          onClick={() => void commands.withdrawLine(lineId)}
        />
      </span>
    </li>
  );
}

/** How many lines wait, and for what. */
function waitingText({ lines, paused }: LineQueue): string {
  const count = lines.length;
  if (paused) return text('composer.queue.paused', { count });
  return text(lines.some((line) => line.held) ? 'composer.queue.held' : 'composer.queue.name', { count });
}

/** The lines that wait for the turn in progress, above the composer. */
export function QueuedLines() {
  const { commands, view } = useApp();
  const queue = useCurrentSession((session) => session?.queue);
  const busy = useCurrentSession((session) => busyTurn(session) !== undefined);
  const onFocus = useLostFocus(queue, view.focusComposer);
  if (!queue) return null;
  const { lines, paused } = queue;
  const move = async (at: number, by: -1 | 1) => {
    const line = lines[at];
    const next = lines[by === -1 ? at - 1 : at + 2];
    if (!line || !(await commands.moveLine(line.lineId, next?.lineId ?? null))) return;
    const moved = { line: shortText(line.text, nameLength), place: at + by + 1, count: lines.length };
    view.announce(text('composer.queue.moved', moved));
  };
  return (
    <section
      aria-labelledby="queue-label"
      onFocus={onFocus}
      className="mb-2 rounded-xl border border-line bg-surface py-1 text-text"
    >
      <div className="flex flex-wrap items-center gap-2 px-3 py-0.5">
        <h2 id="queue-label" role="status" className="text-xs font-medium text-muted">
          {waitingText(queue)}
        </h2>
        {paused && (
          <Button className="ms-auto h-7 px-2" onClick={() => void commands.resumeQueue()}>
            {text(busy ? 'composer.queue.resumeLater' : 'composer.queue.resume')}
          </Button>
        )}
      </div>
      <ul className="max-h-[30vh] overflow-y-auto">
        {lines.map((line, at) => (
          <Line
            key={line.lineId}
            line={line}
            moves={{
              [-1]: at > 0 ? () => void move(at, -1) : undefined,
              1: at + 1 < lines.length ? () => void move(at, 1) : undefined,
            }}
          />
        ))}
      </ul>
    </section>
  );
}
