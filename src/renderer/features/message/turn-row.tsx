import type { Turn } from '#shared/session-state';
import type { Siblings } from '#shared/turn-tree';
import { Pencil, ChevronDown, ChevronUp } from 'lucide-react';
import { memo, type ReactNode, useId, useState, useEffect, useRef, type KeyboardEvent } from 'react';
import { text } from '../../locales/text';
import type { TurnActions, UseLive } from '../../store/turn-actions';
import { classNames } from '../../ui/class-names';
import { IconButton } from '../../ui/icon-button';
import { Moment } from '../../ui/moment';
import { useAtRest } from '../../ui/use-at-rest';
import { BranchSwitch } from './branch-switch';
import { Reply } from './reply';
import { CopyAction, ReplyFoot } from './reply-foot';
import type { TurnCard } from '../../store/reply-parts';
import { SentItems } from '../../ui/sent-items';
import { Button } from '../../ui/button';

interface EditLineProps {
  readonly line: string;
  /** The initial content of the field. */
  readonly first: string;
  /** Stores what is not sent yet; empty: nothing. */
  readonly onSave: (text: string) => void;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
}

/** Edits a line in its place: Enter sends it, Escape changes nothing. */
function EditLine({ line, first, onSave, onSend, onCancel }: EditLineProps) {
  const [edited, setEdited] = useState(first);
  const field = useRef<HTMLTextAreaElement>(null);
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    opener.current ??= document.activeElement;
    field.current?.focus();
    field.current?.setSelectionRange(line.length, line.length);
  }, [line]);
  const unchanged = edited === line;
  // Undo right after Edit, wherever the focus is, takes back the opening and leaves the draft of the composer alone.
  useEffect(() => {
    const undo = (event: globalThis.KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
      if (!isUndo || !unchanged) return;
      event.preventDefault();
      onCancel();
    };
    document.addEventListener('keydown', undo, { capture: true });
    return () => document.removeEventListener('keydown', undo, { capture: true });
  }, [unchanged, onCancel]);
  const cancel = () => {
    // The composer, where the arrow key opened the field; a button beside the line is drawn again.
    if (opener.current instanceof HTMLTextAreaElement) opener.current.focus();
    onCancel();
  };
  const send = () => {
    if (edited.trim() !== '') onSend(edited);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      // Escape also stops a reply: here it only closes the field.
      event.stopPropagation();
      cancel();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    }
  };
  return (
    <div className="ms-auto w-full max-w-[88%] rounded-xl bg-active p-2 forced-colors:border">
      <textarea
        ref={field}
        data-edit
        dir="auto"
        aria-label={text('message.editLine')}
        className="readable text-message field-sizing-content max-h-[50vh] w-full resize-none rounded-md bg-transparent px-1.5 py-0.5 wrap-anywhere"
        value={edited}
        onChange={({ target: { value } }) => {
          setEdited(value);
          onSave(value === line ? '' : value);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="mt-1 flex justify-end gap-2">
        <Button tone="quiet" onClick={cancel}>
          {text('shared.cancel')}
        </Button>
        <Button tone="primary" disabled={edited.trim() === ''} onClick={send}>
          {text('message.sendEdited')}
        </Button>
      </div>
    </div>
  );
}

const longLines = 12;
const longLength = 1_200;
/** Maximum characters of a huge paste to render, even when expanded; copying copies all of it. */
const drawnLength = 200_000;

function firstLines(text: string): string {
  return text.split('\n', longLines).join('\n').slice(0, longLength);
}

function isLong(text: string): boolean {
  return text.length > longLength || text.split('\n', longLines + 1).length > longLines;
}

interface UserLineProps {
  readonly line: string;
  /** The actions beside it. */
  readonly children?: ReactNode;
}

/** The user's own text, exactly as typed; long texts start collapsed. */
export function UserLine({ line, children }: UserLineProps) {
  const id = useId();
  const long = isLong(line);
  const [open, setOpen] = useState(false);
  const shown = long && !open ? firstLines(line) : line.slice(0, drawnLength);
  const Icon = open ? ChevronUp : ChevronDown;
  return (
    <div className="relative ms-auto w-fit max-w-[80%] rounded-xl bg-active px-3.5 py-1.5 forced-colors:border">
      <div id={id} dir="auto" className="readable text-message whitespace-pre-wrap wrap-anywhere">
        {shown}
        {long && !open && '…'}
        {open && line.length > drawnLength && '…'}
      </div>
      {long && (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          className="-ms-1.5 mt-1 flex items-center gap-1 rounded-md px-1.5 py-0.5 text-sm text-muted hover:bg-hover hover:text-text"
          onClick={() => setOpen(!open)}
        >
          <Icon aria-hidden="true" className="size-3.5" />
          {open ? text('message.showLess') : text('message.showAll')}
        </button>
      )}
      {children}
    </div>
  );
}

export interface TurnRowProps {
  readonly turn: Turn;
  readonly actions: TurnActions;
  readonly useLive: UseLive;
  readonly renderRun: (turn: Turn) => ReactNode;
  /** Buttons beside the user's line. */
  readonly renderLineTools: (turn: Turn) => ReactNode;
  readonly renderRoutedBy: (turn: Turn) => ReactNode;
  readonly renderRouted: (turn: Turn) => ReactNode;
  /** A question of the model, or an event of a workflow. */
  readonly renderCard: (turn: Turn, card: TurnCard) => ReactNode;
  readonly renderProposed: (turn: Turn) => ReactNode;
  /** Highlighted for a moment: a search led here. */
  readonly focused: boolean;
  /** Its place in the conversation, from 1. */
  readonly number: number;
  /** The turns that can stand in its place; absent: only this one. */
  readonly siblings: Siblings | undefined;
  /** Its line is being edited. */
  readonly editing: boolean;
  /** The edited text of the page before this one. */
  readonly edited: string | undefined;
}

interface AskedProps extends Pick<
  TurnRowProps,
  'turn' | 'actions' | 'siblings' | 'editing' | 'edited' | 'renderLineTools'
> {
  readonly withTools: boolean;
  /** The command that handled the line. */
  readonly children: ReactNode;
}

function UserMessage(props: AskedProps) {
  const { turn, actions, siblings, editing, edited, renderLineTools, withTools, children } = props;
  const editButton = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(editing);
  useEffect(() => {
    if (wasEditing.current && !editing && document.activeElement === document.body)
      editButton.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  const unsent = actions.unsentEdit(turn.turn);
  return (
    <>
      {editing ? (
        <EditLine
          line={turn.text}
          first={edited ?? (unsent || turn.text)}
          onSave={(text) => actions.saveEdit(turn.turn, text)}
          onSend={(text) => actions.onSendEdited(turn.turn, text)}
          onCancel={() => {
            actions.saveEdit(turn.turn, '');
            actions.onEdit(null);
          }}
        />
      ) : (
        <UserLine line={turn.text}>
          {withTools && (
            // Beside the line, where it takes no room from the text.
            <div className="turn-tools absolute end-full bottom-1 me-1.5 flex items-center gap-0.5">
              <Moment
                at={turn.at}
                className="numbers me-1.5 text-xs whitespace-nowrap text-muted @max-3xl:hidden"
              />
              {renderLineTools(turn)}
              <IconButton
                ref={editButton}
                icon={Pencil}
                label={text('message.edit')}
                onClick={() => actions.onEdit(turn.turn)}
              />
              <CopyAction content={turn.text} label={text('message.copyMessage')} onCopy={actions.onCopy} />
            </div>
          )}
        </UserLine>
      )}
      {!editing && unsent !== '' && (
        <div className="mt-1 flex flex-wrap items-center justify-end gap-x-2 text-sm text-muted">
          {text('message.unsentEdit')}
          <Button tone="quiet" onClick={() => actions.onEdit(turn.turn)}>
            {text('message.continueEdit')}
          </Button>
        </div>
      )}
      {turn.items && <SentItems items={turn.items} readItem={actions.readItem} />}
      <div className="mt-0.5 flex items-center gap-3">
        <div className="min-w-0 grow">{children}</div>
        {siblings && (
          <BranchSwitch
            of="line"
            turn={turn.turn}
            among={siblings.lines}
            onChoose={actions.onChooseBranch}
            onAnnounce={actions.onAnnounce}
          />
        )}
      </div>
    </>
  );
}

function hasEnded({ reply, run }: Turn): boolean {
  if (reply) return reply.status !== 'streaming';
  return run !== undefined && run.status !== 'planning' && run.status !== 'running';
}

function asksUser({ questions }: Turn): boolean {
  return questions?.some(({ asker, status }) => asker === 'model' && status === 'open') ?? false;
}

/** One line of input and its outcome. Renders again only when the turn itself changes. */
export const TurnRow = memo(function TurnRow(props: TurnRowProps) {
  const { turn, actions, useLive, focused, number, siblings, editing, edited } = props;
  const { renderRun, renderLineTools, renderRoutedBy, renderRouted, renderCard, renderProposed } = props;
  const { onRegenerate, onStop, onOtherModel, onOpenLink, onCopy } = actions;
  const name = text('message.turn', { number });
  // The tools cost more than the text.
  const withTools = useAtRest();
  return (
    <article
      aria-label={name}
      data-turn={turn.turn}
      data-focused={focused || undefined}
      className={classNames('turn mx-auto max-w-column px-5', siblings ? 'pb-9' : 'pb-7')}
    >
      {/* Between the session's name and the headings of a reply, so that screen readers can move from turn to
          turn by heading. */}
      <h2 className="sr-only">{name}</h2>
      <UserMessage
        turn={turn}
        actions={actions}
        siblings={siblings}
        editing={editing}
        edited={edited}
        renderLineTools={renderLineTools}
        withTools={withTools}
      >
        {renderRoutedBy(turn)}
      </UserMessage>
      <div className="mt-2.5">
        {renderRouted(turn)}
        {turn.run && renderRun(turn)}
        {turn.reply && (
          <Reply
            turn={turn}
            reply={turn.reply}
            asksUser={asksUser(turn)}
            useLive={useLive}
            renderCard={renderCard}
            onRetry={onRegenerate}
            onStop={onStop}
            onOtherModel={onOtherModel}
            onOpenLink={onOpenLink}
            onCopy={onCopy}
          />
        )}
        {renderProposed(turn)}
        {withTools && hasEnded(turn) && <ReplyFoot turn={turn} actions={actions} siblings={siblings} />}
      </div>
    </article>
  );
});
