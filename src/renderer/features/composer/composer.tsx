import { busyTurn } from '#shared/attention';
import { maxMessageLength } from '#shared/input-line';
import { ArrowUp, CircleSlash, Square } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type ReactNode, type SyntheticEvent } from 'react';
import { text } from '../../locales/text';
import { useAgentMode, useApp, useCurrentSession, useMirror, useView } from '../../store/app-context';
import { newSessionDraft } from '../../store/drafts';
import { classNames } from '../../ui/class-names';
import { pressed } from '../../ui/key-press';
import { Tooltip } from '../../ui/tooltip';
import { AskToolsSwitch } from './ask-tools-switch';
import { AttachButton, ItemChips } from './item-chips';
import { ModelPicker } from './model-picker';
import { ModeSwitch } from './mode-switch';
import { ReviewSwitch } from './review-switch';
import { PasteChips } from './paste-chips';
import { SlashMenu, slashOptionId } from './slash-menu';
import { useAttachMenu, type AttachMenu } from './use-attach-menu';
import { useDraft, type DraftField } from './use-draft';
import { useSlash, type Slash } from './use-slash';
import { ContextMeter } from './context-meter';
import { Parameters } from './parameters';

interface ActionsProps {
  readonly filled: boolean;
  readonly sendable: boolean;
  /** About how many tokens the typed text has. */
  readonly tokens: number;
  readonly onSend: () => void;
}

function Actions({ filled, sendable, tokens, onSend }: ActionsProps) {
  const { commands } = useApp();
  const busy = useCurrentSession((session) => busyTurn(session) !== undefined);
  return (
    <div className="flex shrink-0 items-center gap-1.5">
      <ContextMeter textTokens={tokens} />
      {busy && (
        <Tooltip side="top" text={text('composer.stop')} keys="Escape">
          <button
            type="button"
            aria-label={text('composer.stop')}
            onClick={() => void commands.stop()}
            className="flex size-7 items-center justify-center rounded-md border border-line-strong bg-canvas text-text shadow-raised hover:bg-surface"
          >
            <Square aria-hidden size={11} fill="currentColor" />
          </button>
        </Tooltip>
      )}
      {(!busy || filled) && (
        <Tooltip side="top" text={busy ? text('composer.sendNext') : text('composer.send')} keys="Enter">
          <button
            type="button"
            aria-label={text('composer.send')}
            disabled={!sendable}
            onClick={onSend}
            className="flex size-7 items-center justify-center rounded-md bg-accent-strong text-on-accent transition-colors hover:brightness-110 disabled:bg-track disabled:text-muted disabled:brightness-100"
          >
            <ArrowUp aria-hidden size={16} strokeWidth={2.25} />
          </button>
        </Tooltip>
      )}
    </div>
  );
}

/**
 * During input method composition, Enter and the arrows belong to the input method; key code 229 marks its
 * late events.
 */
function isComposing({ nativeEvent, keyCode }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || keyCode === 229;
}

function hasModifier(event: KeyboardEvent): boolean {
  return event.shiftKey || event.altKey || event.ctrlKey || event.metaKey;
}

/** What prevents every line from being sent, if anything does. */
const useSendingOff = () =>
  useMirror(({ notices }) => notices.find(({ effect }) => effect === 'sending-off'));

function SendingOff() {
  const notice = useSendingOff();
  if (!notice) return null;
  return (
    <p role="status" className="flex items-start gap-2 px-3.5 pb-1.5 text-sm text-copper-text">
      <CircleSlash aria-hidden size={14} className="mt-0.75 shrink-0" />
      <span>{text('composer.sendingOff', { title: notice.title })}</span>
    </p>
  );
}

function TooLong({ length }: { readonly length: number }) {
  if (length === 0) return null;
  return (
    <p role="alert" className="numbers px-3.5 pb-1.5 text-sm text-danger-text">
      {text('composer.tooLong', { length, max: maxMessageLength })}
    </p>
  );
}

/** Undo in an empty field: what the user deleted by hand comes back first, from the browser. */
function useUndoKey() {
  const { commands } = useApp();
  const deleted = useRef(false);
  return {
    changed: (written: string) => void (deleted.current = written === ''),
    /** Whether the key press is dealt with. */
    undid: (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
      if (event.isDefaultPrevented() || event.currentTarget.value !== '' || !pressed(event, 'Mod+Z'))
        return false;
      if (deleted.current) deleted.current = false;
      else if (commands.undoLast()) event.preventDefault();
      return true;
    },
  };
}

const useHasItems = () =>
  useView(({ draftItems, sessionId }) => (draftItems[sessionId ?? newSessionDraft] ?? []).length > 0);

/** Why attachments alone are not sent: a line is routed, named and found by its words. */
function Wordless({ shown }: { readonly shown: boolean }) {
  if (!shown) return null;
  return (
    <p role="status" className="px-3.5 pb-1.5 text-sm text-copper-text">
      {text('items.wordless')}
    </p>
  );
}

interface TextProps {
  readonly draft: DraftField;
  readonly slash: Slash;
  readonly mention: AttachMenu;
  readonly agent: boolean;
  readonly onSend: () => void;
}

/** The text field and its key handling. */
function Text({ draft, slash, mention, agent, onSend }: TextProps) {
  const { fieldRef, long, changed, selected, deleting, paste } = draft;
  const { commands } = useApp();
  const menu = mention.options.length > 0 ? mention : slash;
  const offering = menu.options.length > 0;
  const undo = useUndoKey();
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event) || undo.undid(event)) return;
    if (event.key === 'Backspace' || event.key === 'Delete') return deleting(event.key);
    if (hasModifier(event) || mention.waits(event, onSend) || menu.pressed(event)) return;
    const editing = event.key === 'ArrowUp' && event.currentTarget.value === '';
    if (event.key !== 'Enter' && !editing) return;
    event.preventDefault();
    if (editing) commands.editLast();
    else onSend();
  };
  /** Attaches files and inserts a long text folded; the field handles anything else itself. */
  const take = (event: SyntheticEvent, from: DataTransfer) => {
    if (from.files.length > 0) {
      event.preventDefault();
      void commands.attachFiles([...from.files]);
      return;
    }
    if (paste(from.getData('text/plain'))) event.preventDefault();
  };
  return (
    <textarea
      ref={fieldRef}
      dir="auto"
      rows={1}
      aria-label={text('composer.field')}
      placeholder={agent ? text('composer.placeholderAgent') : text('composer.placeholderAsk')}
      aria-autocomplete="list"
      aria-controls={offering ? menu.id : undefined}
      aria-activedescendant={offering ? slashOptionId(menu.id, menu.active) : undefined}
      onInput={(event) => {
        changed();
        undo.changed(event.currentTarget.value);
        slash.read(event.currentTarget.value);
        mention.read(event.currentTarget.value);
      }}
      onSelect={selected}
      onPaste={(event) => take(event, event.clipboardData)}
      onDrop={(event) => {
        // Files are dropped on the conversation around the field.
        if (event.dataTransfer.files.length === 0) take(event, event.dataTransfer);
      }}
      onKeyDown={onKeyDown}
      className={classNames(
        'readable max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1.5 text-message outline-none',
        long ? 'h-[40vh]' : 'field-sizing-content',
      )}
    />
  );
}

// The shadows are written out, because a form with a utility's `--tw-shadow` styles all it contains again on each
// frame of its transition.
const askFrame = 'border-line-strong [box-shadow:var(--shadow-raised)] focus-within:border-faint';
const agentFrame =
  'border-accent [box-shadow:var(--shadow-raised)] focus-within:[box-shadow:0_0_0_2px_var(--color-accent-soft),var(--shadow-raised)]';

/** The input for a line, with the mode of the session (`children`), the run mode and the model. */
export function Composer({ children }: { readonly children?: ReactNode }) {
  const { commands } = useApp();
  const draft = useDraft();
  const agent = useAgentMode();
  const slash = useSlash(draft.fieldRef);
  const mention = useAttachMenu(draft.fieldRef);
  const mentions = mention.options.length > 0;
  const starting = useView(({ ready }) => !ready);
  const off = useSendingOff() !== undefined || starting;
  const attached = useHasItems();
  const [wordless, setWordless] = useState(false);
  const send = () => {
    if (off) return;
    setWordless(attached && !draft.filled);
    const text = draft.take();
    slash.leave();
    mention.leave();
    if (text !== null) void commands.sendDraft(text);
  };
  return (
    <SlashMenu menu={mentions ? mention : slash} {...(mentions && { label: text('items.menu') })}>
      <form
        aria-label={text('composer.field')}
        aria-busy={starting || undefined}
        data-run-mode={agent ? 'agent' : 'ask'}
        onSubmit={(event) => event.preventDefault()}
        onMouseDown={(event) => {
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          draft.fieldRef.current?.focus();
        }}
        className={classNames(
          '@container flex flex-col rounded-xl border bg-canvas transition-[border-color,box-shadow]',
          agent ? agentFrame : askFrame,
        )}
      >
        <ItemChips />
        <PasteChips pastes={draft.pastes} onRemove={draft.remove} onSpread={draft.spread} />
        <Text draft={draft} slash={slash} mention={mention} agent={agent} onSend={send} />
        <TooLong length={draft.excess} />
        <Wordless shown={wordless && attached && !draft.filled} />
        <SendingOff />
        <div className="flex items-end gap-2 px-2 pb-2">
          <div className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-1">
            <AttachButton />
            {children}
            <ModeSwitch />
            <ReviewSwitch />
            <ModelPicker />
            <Parameters />
            <AskToolsSwitch />
          </div>
          <Actions
            filled={draft.filled}
            tokens={draft.tokens}
            sendable={(draft.filled || attached) && draft.excess === 0 && !off}
            onSend={send}
          />
        </div>
      </form>
    </SlashMenu>
  );
}
