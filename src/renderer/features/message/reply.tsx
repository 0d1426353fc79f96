import { offlineProviderId } from '#shared/model';
import { assertNever } from '#shared/result';
import type { ReplyState, Turn } from '#shared/session-state';
import { CircleStop, LoaderCircle, Unplug, WifiOff, type LucideIcon, ChevronRight } from 'lucide-react';
import { Fragment, useRef, type ReactNode, type RefObject } from 'react';
import { text } from '../../locales/text';
import type { UseLive } from '../../store/turn-actions';
import { DrawnImages } from '../run-parts/drawn-images';
import { Delayed, type DelayActions } from '../../ui/failed-attempts';
import { ErrorCard } from '../../ui/error-card';
import { formatSeconds } from '../../ui/format';
import { Markdown } from '../../ui/markdown/markdown';
import { attachedTo } from '../../ui/media-kind';
import { Thinking } from '../../ui/thinking';
import { useNow } from '../../ui/use-now';
import { partsOf, type ReplyPart, type TurnCard } from '../../store/reply-parts';
import { useUnsavedTail } from './unsaved-tail';
import type { CallRecord } from '#shared/session-event';
import { asksForSignIn } from '../run-parts/call-error';
import { CallRow } from '../run-parts/call-row';

const toolText: Readonly<Record<string, string>> = {
  agent_list_modes: text('message.calls.listModes'),
  agent_change_mode: text('message.calls.changeMode'),
  agent_run_command: text('message.calls.runCommand'),
  agent_ddr_manager: text('message.calls.ddrs'),
  agent_workflow_registry: text('message.calls.workflows'),
  request_user_approval: text('message.calls.approval'),
};

const shownCalls = 100;

function headline(calls: readonly CallRecord[]): string {
  const named = [
    ...new Set(calls.map(({ tool }) => toolText[tool] ?? text('message.calls.called', { tool }))),
  ];
  const shown = named.slice(0, 3).join(', ').slice(0, 200);
  const failed = calls.filter(({ outcome }) => outcome === 'failed').length;
  const all =
    named.length > 3 ? text('message.calls.moreTools', { calls: shown, count: named.length - 3 }) : shown;
  return failed > 0 ? text('message.calls.withFailed', { calls: all, count: failed }) : all;
}

/** Tool calls of a reply, one after the other: one muted line, with the calls on demand. */
export function ReplyCalls({ calls }: { readonly calls: readonly CallRecord[] }) {
  const shown = calls.slice(-shownCalls);
  return (
    // A call that needs the user shows its button.
    <details className="group/calls" open={shown.some(asksForSignIn)}>
      <summary className="-ms-1.5 flex min-h-6 w-fit max-w-full cursor-default list-none items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text">
        <ChevronRight aria-hidden className="size-3.5 shrink-0 group-open/calls:rotate-(--quarter-turn)" />
        <span className="min-w-0 wrap-anywhere">{headline(calls)}</span>
      </summary>
      <div className="mt-1 overflow-hidden rounded-lg border border-line">
        {shown.map((call) => (
          <CallRow key={call.callId} call={call} />
        ))}
      </div>
    </details>
  );
}

interface ReplyThinkingProps {
  readonly thinking: NonNullable<ReplyState['thinking']>;
  /** The model has not gone on to its words yet. */
  readonly underWay: boolean;
}

/** What the model thought before its words, with the time it took. */
function ReplyThinking({ thinking, underWay }: ReplyThinkingProps) {
  const seconds = Math.max(1, Math.round(thinking.ms / 1_000));
  const label = underWay
    ? text('message.thinking')
    : text('message.thought', { time: formatSeconds(seconds) });
  return (
    <div className="mb-2">
      <Thinking label={label} words={thinking.text} />
    </div>
  );
}

export interface ReplyProps {
  readonly turn: Turn;
  readonly reply: ReplyState;
  readonly useLive: UseLive;
  readonly renderCard: (turn: Turn, card: TurnCard) => ReactNode;
  /** The model waits for the user; the card of its question says so. */
  readonly asksUser: boolean;
  readonly onRetry: (turn: number) => void;
  readonly onStop?: (turn: number) => void;
  readonly onOtherModel?: (turn: number) => void;
  readonly onOpenLink: (url: string) => void;
  readonly onCopy: (text: string) => void;
}

function Note({ icon: Icon, children }: { icon: LucideIcon; children: string }) {
  return (
    <p className="mt-3 flex items-center gap-2 text-sm text-muted">
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      {children}
    </p>
  );
}

/** The state before the first word: a delay that the provider asked for, or the time waited. */
interface WaitingProps extends DelayActions {
  readonly reply: ReplyState;
  readonly begun: boolean;
}

function Waiting({ reply, begun, ...actions }: WaitingProps) {
  if (reply.delayed) return <Delayed {...reply.delayed} {...actions} />;
  return begun ? null : <WaitingForFirst reply={reply} />;
}

function WaitingForFirst({ reply }: { reply: ReplyState }) {
  const waited = useNow(1_000, true) - reply.startedAt;
  return (
    <p className="flex items-center gap-2 text-base text-muted">
      <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
      <span className="numbers">
        {waited >= 3_000
          ? text('message.waitingFor', {
              provider: reply.providerName,
              time: formatSeconds(Math.floor(waited / 1_000)),
            })
          : text('message.waiting', { provider: reply.providerName })}
      </span>
    </p>
  );
}

interface EndingProps extends Pick<DelayActions, 'onOtherModel'> {
  readonly reply: ReplyState;
  readonly retry: () => void;
}

function Failure({ reply, retry, onOtherModel }: EndingProps) {
  if (!reply.error) return <Note icon={Unplug}>{text('message.noReason')}</Note>;
  const half = reply.text !== '';
  return (
    <div className={half ? 'mt-3' : ''}>
      <ErrorCard
        error={reply.error}
        // A stream that ended early gets its own title; any other error keeps its usual one.
        title={half && reply.error.code === 'UNAVAILABLE' ? text('message.incomplete') : undefined}
        at={reply.endedAt}
        onRetry={retry}
        onOtherModel={onOtherModel}
      >
        {half && <p className="mt-0.5 text-sm">{text('message.received', { count: reply.text.length })}</p>}
      </ErrorCard>
    </div>
  );
}

/** How the reply ended, unless it ended normally. */
function Ending({ reply, retry, onOtherModel }: EndingProps) {
  switch (reply.status) {
    case 'streaming':
    case 'done':
      return null;
    case 'stopped':
      return (
        <Note icon={CircleStop}>
          {reply.text === '' ? text('message.stoppedFirst') : text('message.stopped')}
        </Note>
      );
    case 'interrupted':
      return <Note icon={Unplug}>{text('message.interrupted')}</Note>;
    case 'failed':
      return <Failure reply={reply} retry={retry} onOtherModel={onOtherModel} />;
    default:
      return assertNever(reply.status);
  }
}

function OfflineLabel({ reply }: { readonly reply: ReplyState }) {
  if (reply.model.providerId !== offlineProviderId) return null;
  return (
    <p className="mb-2 flex w-fit items-center gap-1.5 rounded-full border border-line px-2 py-0.5 text-xs text-muted">
      <WifiOff aria-hidden="true" className="size-3" />
      {text('message.offline')}
    </p>
  );
}

interface PartsProps extends Pick<ReplyProps, 'turn' | 'renderCard' | 'onOpenLink' | 'onCopy'> {
  readonly parts: readonly ReplyPart[];
  readonly streaming: boolean;
  /** The words that may still grow. */
  readonly written: RefObject<HTMLDivElement | null>;
}

const keyOf = (part: ReplyPart): string => {
  if (part.kind === 'text') return `text ${part.from}`;
  return part.kind === 'calls' ? `calls ${part.calls[0]?.callId ?? ''}` : part.key;
};

/** The words, the calls and the cards of a reply, in the order in which they came. */
function Parts({ turn, parts, streaming, written, renderCard, onOpenLink, onCopy }: PartsProps) {
  const draw = (part: ReplyPart, last: boolean): ReactNode => {
    if (part.kind === 'calls') return <ReplyCalls calls={part.calls} />;
    if (part.kind !== 'text') return renderCard(turn, part);
    return (
      <div ref={last ? written : null}>
        <Markdown text={part.text} streaming={streaming && last} onOpenLink={onOpenLink} onCopy={onCopy} />
      </div>
    );
  };
  return (
    <div className="flex flex-col gap-2">
      {parts.map((part, at) => (
        <Fragment key={keyOf(part)}>{draw(part, at === parts.length - 1)}</Fragment>
      ))}
    </div>
  );
}

/** All text of a reply that has arrived: while it streams, `live` may be ahead of what is saved. */
function writtenSoFar(reply: ReplyState, live: string | undefined): string {
  const ahead = reply.status === 'streaming' && live !== undefined && live.length > reply.text.length;
  return ahead ? live : reply.text;
}

/** A reply is text, not a bubble: streaming markdown with what the model did between, followed by its ending. */
export function Reply(props: ReplyProps) {
  const { turn, reply, useLive, asksUser, renderCard, onRetry, onOpenLink, onCopy } = props;
  const { onStop, onOtherModel } = props;
  const otherModel = onOtherModel && (() => onOtherModel(turn.turn));
  const streaming = reply.status === 'streaming';
  const text = writtenSoFar(reply, useLive(turn.turn));
  const written = useRef<HTMLDivElement>(null);
  const parts = partsOf(turn, reply, text);
  const last = parts.at(-1);
  const from = last?.kind === 'text' ? last.from : text.length;
  // Text that the mirror folded from events is on disk; text that arrived ahead of them is not yet.
  useUnsavedTail(written, text.length - reply.text.length, from);
  return (
    <div>
      <OfflineLabel reply={reply} />
      {reply.thinking && <ReplyThinking thinking={reply.thinking} underWay={streaming && text === ''} />}
      <Parts
        turn={turn}
        parts={parts}
        streaming={streaming}
        written={written}
        renderCard={renderCard}
        onOpenLink={onOpenLink}
        onCopy={onCopy}
      />
      {streaming && !asksUser && (
        <Waiting
          reply={reply}
          begun={text !== '' || reply.thinking !== undefined}
          onStop={onStop && (() => onStop(turn.turn))}
          onOtherModel={otherModel}
        />
      )}
      <DrawnImages artifacts={attachedTo(reply.calls ?? [])} />
      <Ending reply={reply} retry={() => onRetry(turn.turn)} onOtherModel={otherModel} />
    </div>
  );
}
