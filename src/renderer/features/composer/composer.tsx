import { ArrowUp, Square } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useAgentMode, useApp, useCurrentSession, useView } from '../../store/app-context';
import { newSessionDraft } from '../../store/drafts';
import { busyTurn } from '../../store/session-view';
import { classNames } from '../../ui/class-names';
import { Tooltip } from '../../ui/tooltip';
import { ModelPicker } from './model-picker';
import { ModeSwitch } from './mode-switch';
import { TokenCount } from './token-count';

/** Text longer than this fills the field anyway: it is no longer measured at every keystroke. */
const growingLength = 10_000;

/**
 * The text itself lives in the <textarea>, not in React: a keystroke draws nothing, however long the text and whatever
 * streams above. Only "is there something to send" is state.
 */
function useDraft() {
  const { drafts, view } = useApp();
  const draftKey = useView(({ sessionId }) => sessionId ?? newSessionDraft);
  const tick = useView(({ composerTick }) => composerTick);
  const field = useRef<HTMLTextAreaElement>(null);
  const [filled, setFilled] = useState(false);
  const [long, setLong] = useState(false);
  const look = (text: string) => {
    setFilled(text.trim() !== '');
    setLong(text.length > growingLength);
  };
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    const draft = drafts.read(draftKey);
    if (element.value !== draft) {
      element.value = draft;
      element.setSelectionRange(draft.length, draft.length);
    }
    setFilled(draft.trim() !== '');
    setLong(draft.length > growingLength);
  }, [drafts, draftKey, tick]);
  useEffect(() => {
    if (tick > 0 && view.store.getState().dialog === null) field.current?.focus();
  }, [tick, view]);
  const write = (text: string) => {
    drafts.write(draftKey, text);
    look(text);
  };
  /** The text, which is the draft no more; nothing when there is only white space. */
  const take = (): string | null => {
    const text = field.current?.value ?? '';
    if (text.trim() === '') return null;
    if (field.current) field.current.value = '';
    write('');
    return text;
  };
  return { field, filled, long, write, take };
}

function Actions({ filled, onSend }: { readonly filled: boolean; readonly onSend: () => void }) {
  const { commands } = useApp();
  const busy = useCurrentSession((session) => busyTurn(session) !== undefined);
  return (
    <div className="ml-auto flex items-center gap-1.5">
      <TokenCount />
      {busy && (
        <Tooltip side="top" text="Stop" keys="Escape">
          <button
            type="button"
            aria-label="Stop"
            onClick={() => void commands.stop()}
            className="flex size-7 items-center justify-center rounded-md border border-line-strong bg-canvas text-text shadow-raised hover:bg-surface"
          >
            <Square aria-hidden size={11} fill="currentColor" />
          </button>
        </Tooltip>
      )}
      {(!busy || filled) && (
        <Tooltip side="top" text={busy ? 'Send after this one' : 'Send'} keys="Enter">
          <button
            type="button"
            aria-label="Send"
            disabled={!filled}
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

/** While an input method composes, Enter and the arrows are its own; 229 is how late ones tell. */
function isComposing({ nativeEvent, keyCode }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || keyCode === 229;
}

function hasModifier(event: KeyboardEvent): boolean {
  return event.shiftKey || event.altKey || event.ctrlKey || event.metaKey;
}

/** Where a line is written and sent, with the run mode and the model it goes to. */
export function Composer() {
  const { commands } = useApp();
  const { field, filled, long, write, take } = useDraft();
  const agent = useAgentMode();

  const send = () => {
    const text = take();
    if (text !== null) void commands.send(text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event) || hasModifier(event)) return;
    const editing = event.key === 'ArrowUp' && event.currentTarget.value === '';
    if (event.key !== 'Enter' && !editing) return;
    event.preventDefault();
    if (editing) commands.editLast();
    else send();
  };
  return (
    <form
      aria-label="Message"
      data-run-mode={agent ? 'agent' : 'ask'}
      onSubmit={(event) => event.preventDefault()}
      onMouseDown={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        field.current?.focus();
      }}
      className={classNames(
        'flex flex-col rounded-xl border bg-canvas shadow-raised transition-[border-color,box-shadow]',
        agent
          ? 'border-accent focus-within:ring-2 focus-within:ring-accent-soft'
          : 'border-line-strong focus-within:border-faint',
      )}
    >
      <textarea
        ref={field}
        dir="auto"
        rows={1}
        aria-label="Message"
        placeholder={agent ? 'What should be done?' : 'Ask anything'}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        className={classNames(
          'readable max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1.5 text-message outline-none',
          long ? 'h-[40vh]' : 'field-sizing-content',
        )}
      />
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-2 pb-2">
        <ModeSwitch />
        <ModelPicker />
        <Actions filled={filled} onSend={send} />
      </div>
    </form>
  );
}
