import { useCallback, useMemo, useRef, useState, useEffect } from 'react';
import { continueLine, type Turn, type SessionState, type EventGap } from '#shared/session-state';
import { Welcome } from '../features/welcome/welcome';
import { listedPriceOf, type ModelRef } from '#shared/model';
import { useApp, useCurrentSession, useLiveText, useMirror, useView } from '../store/app-context';
import { PriceContext } from '../store/model-prices';
import { lastTurn } from '../store/session-view';
import { lazyPart } from '../ui/lazy-part';
import { WriteCodeContext } from '../ui/markdown/markdown-context';
import type { TurnCard } from '../store/reply-parts';
import type { TurnActions } from '../store/turn-actions';
import { FoldVertical, CircleAlert } from 'lucide-react';
import { readNext } from '#shared/read-path';
import { SentIn } from '../features/control-plane/sent-in';
import { text } from '../locales/text';
import { Button } from '../ui/button';
import { formatList } from '../ui/format';
import { useLostFocus } from '../ui/use-lost-focus';

const sizeOf = ({ fromSeq, toSeq }: EventGap): number => toSeq - fromSeq + 1;
const nameOf = ({ fromSeq, toSeq }: EventGap): string =>
  fromSeq === toSeq ? String(fromSeq) : `${fromSeq}–${toSeq}`;

/** Whether a repair could restore any event of the session; null until known. */
function useRepairable(sessionId: string): boolean | null {
  const { commands } = useApp();
  const [repairable, setRepairable] = useState<boolean | null>(null);
  useEffect(() => {
    let wanted = true;
    void commands.canRepairSession(sessionId).then((can) => {
      if (wanted) setRepairable(can);
    });
    return () => {
      wanted = false;
    };
  }, [commands, sessionId]);
  return repairable;
}

function Repair({ sessionId }: { readonly sessionId: string }) {
  const { commands } = useApp();
  const repairable = useRepairable(sessionId);
  if (repairable === null) return null;
  if (!repairable) return <span>{text('app.gap.noCopy')}</span>;
  return (
    <Button className="h-7 px-2 text-xs" onClick={() => void commands.repairSession(sessionId)}>
      {text('app.gap.repair')}
    </Button>
  );
}

/**
 * Lists the stored events after this line that could not be read, and offers to restore them if a daily copy
 * contains any.
 */
function GapNote({ turn }: { readonly turn: number }) {
  const sessionId = useCurrentSession((session) => session?.id);
  const gaps = useCurrentSession((session) => session?.gaps);
  const here = gaps?.filter((gap) => Math.max(0, gap.turn) === turn) ?? [];
  if (sessionId === undefined || here.length === 0) return null;
  const count = here.reduce((sum, gap) => sum + sizeOf(gap), 0);
  return (
    <div
      role="note"
      aria-label={text('app.gap.label')}
      className="mt-3 flex flex-wrap items-center gap-x-2 gap-y-1 border-y border-line py-1.5 text-xs text-copper-text"
    >
      <CircleAlert aria-hidden size={14} className="shrink-0" />
      <span className="min-w-0 grow">
        {text('app.gap.text', { count, numbers: formatList(here.map(nameOf)) })}
      </span>
      <Repair sessionId={sessionId} />
    </div>
  );
}

/** The summary in use, if it ends with this turn; the same object until the session changes it. */
function compactionAt(session: SessionState | undefined, turn: number) {
  const used = session?.compactions && readNext(session).compaction;
  return used && used.upTo === turn ? used : null;
}

/** Where the part of a conversation ends that models read as a summary: says so, shows the summary, and takes it back. */
function CompactionLine({ turn }: { readonly turn: number }) {
  const { commands } = useApp();
  const [open, setOpen] = useState(false);
  const compaction = useCurrentSession((session) => compactionAt(session, turn));
  if (!compaction) return null;
  const { by, summary } = compaction;
  return (
    <section
      aria-label={text('compaction.name')}
      className="mt-4 border-t border-line pt-2 text-sm text-muted"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <FoldVertical aria-hidden size={14} className="shrink-0" />
        <span>{text(by === 'model' ? 'compaction.summarised' : 'compaction.leftOut')}</span>
        {by === 'model' && (
          <Button tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
            {text(open ? 'compaction.hide' : 'compaction.show')}
          </Button>
        )}
        <Button tone="quiet" onClick={() => void commands.undoCompaction(turn)}>
          {text('compaction.undo')}
        </Button>
      </div>
      {open && <p className="readable mt-1 whitespace-pre-wrap text-text">{summary}</p>}
    </section>
  );
}

const OfferedModelCard = lazyPart(
  async () => (await import('../features/settings/local-models')).OfferedModelCard,
);
const TurnList = lazyPart(async () => (await import('../features/message/turn-list')).TurnList);
const RunCard = lazyPart(async () => (await import('../features/run/run-card')).RunCard);
const RanOut = lazyPart(async () => (await import('../features/run/run-ending')).RanOut);
const AsksBack = lazyPart(async () => (await import('../features/run/run-ending')).AsksBack);
const RoutedTurn = lazyPart(async () => (await import('../features/control-plane/routed-turn')).RoutedTurn);
const ProposedCard = lazyPart(async () => (await import('./proposed-turn')).ProposedCard);
const ProposedTurn = lazyPart(async () => (await import('./proposed-turn')).ProposedTurn);
const ReplyChangedTools = lazyPart(
  async () => (await import('../features/run/changed-tools')).ReplyChangedTools,
);
const DidYouMean = lazyPart(async () => (await import('../features/control-plane/did-you-mean')).DidYouMean);
const RoutedBy = lazyPart(async () => (await import('../features/control-plane/routed-turn')).RoutedBy);
const FindBar = lazyPart(async () => (await import('../features/find/find-bar')).FindBar);

/** The actions of turns, as commands; the object is stable, so completed turns never render again. */
function useTurnActions(): TurnActions {
  const { commands, view } = useApp();
  return useMemo(
    () => ({
      onRegenerate: (turn, options) => void commands.regenerate(turn, options),
      onOtherModel: commands.askOtherModel,
      readItem: commands.readItem,
      onEdit: commands.edit,
      unsentEdit: commands.unsentEdit,
      saveEdit: commands.saveEdit,
      onSendEdited: (turn, text) => void commands.sendEdited(turn, text),
      onChooseBranch: (turn) => void commands.chooseBranch(turn),
      onAnnounce: view.announce,
      onFork: (turn) => void commands.fork(turn),
      onGoBackTo: (turn) => void commands.goBackTo(turn),
      onStop: (turn) => void commands.stop(turn),
      onOpenInspector: (turn) => commands.inspect(turn, 'run'),
      onSaveRecipe: (turn) => view.set({ dialog: { kind: 'recipe', turn } }),
      onShowSent: (turn) => commands.inspect(turn, 'prompt'),
      onAnswerApproval: (answer) => void commands.answerApproval(answer),
      onEditApproval: commands.editApproval,
      onRun: (turn, action) => void commands.controlRun(turn, action),
      onOpenLink: (url) => void commands.openLink(url),
      onCopy: (text) => void commands.copy(text),
    }),
    [commands, view],
  );
}

/** What the newest run leaves to the user: to continue it after it ran out of its budget, or to answer its question. */
function AfterNewestRun({ turn: { turn, run } }: { readonly turn: Turn }) {
  const { commands } = useApp();
  const isNewest = useCurrentSession((session) => lastTurn(session)?.turn === turn);
  if (!run || isNewest !== true) return null;
  return (
    <>
      <AsksBack run={run} />
      <RanOut run={run} onContinue={() => void commands.send(continueLine, 'agent')} />
    </>
  );
}

const renderLineTools = (turn: Turn) => (
  <>
    <SentIn turn={turn} />
    <DidYouMean turn={turn} />
  </>
);
const renderRoutedBy = (turn: Turn) => <RoutedBy turn={turn} />;
const renderCard = (turn: Turn, card: TurnCard) => <ProposedCard turn={turn} card={card} />;
const renderRouted = (turn: Turn) => <RoutedTurn turn={turn} />;

/** The session on the screen, or suggestions while it has no turns. */
export function Conversation() {
  const actions = useTurnActions();
  const box = useRef<HTMLDivElement>(null);
  const session = useCurrentSession((current) => current);
  const sessionId = useView((view) => view.sessionId);
  const preview = useMirror((mirror) => mirror.previews[sessionId ?? '']);
  const ready = useView((view) => view.ready);
  const finding = useView((view) => view.find !== null);
  const focusTurn = useView((view) => view.focusTurn);
  const editing = useView((view) => view.editing);
  const reloaded = useView((view) => view.reloaded);
  const models = useMirror((mirror) => mirror.models);
  const { view } = useApp();
  const writeCode = useCallback(
    (code: string, fence: string) => view.set({ dialog: { kind: 'write-code', code, fence } }),
    [view],
  );
  const priceOf = useCallback((model: ModelRef) => listedPriceOf(model, models), [models]);
  const renderRun = useCallback(
    (turn: Turn) => (
      <>
        <RunCard turn={turn} useLive={useLiveText} {...actions} />
        <AfterNewestRun turn={turn} />
      </>
    ),
    [actions],
  );
  const renderProposed = useCallback(
    (turn: Turn) => (
      <>
        {turn.reply && <ReplyChangedTools turn={turn} onRegenerate={actions.onRegenerate} />}
        <ProposedTurn turn={turn} />
        <GapNote turn={turn.turn} />
        <CompactionLine turn={turn.turn} />
      </>
    ),
    [actions],
  );
  const onFocus = useLostFocus(session, view.focusComposer);
  // Its rows disappear with the first turn, and the focus with the row that was pressed.
  const welcome = (
    <div onFocus={onFocus} className="contents">
      <Welcome modelOffer={<OfferedModelCard />} />
    </div>
  );
  // A page that loads again keeps its place, which may not be among the last turns.
  const shown = session ?? (reloaded ? undefined : preview);
  if (!shown) {
    // A snapshot takes milliseconds, and a long session shows a preview: a spinner would only flash.
    return sessionId === null && ready ? welcome : null;
  }
  if (session?.turnCount === 0) return welcome;
  return (
    <WriteCodeContext value={session && session.project !== null ? writeCode : null}>
      <PriceContext value={priceOf}>
        <div ref={box} onFocus={onFocus} className="flex min-h-0 grow flex-col">
          {finding && session && <FindBar key={session.id} session={session} root={box} />}
          <TurnList
            key={`turns ${shown.id}`}
            session={shown}
            useLive={useLiveText}
            focusTurn={focusTurn}
            editing={editing}
            reloaded={reloaded}
            renderRun={renderRun}
            renderLineTools={renderLineTools}
            renderRoutedBy={renderRoutedBy}
            renderRouted={renderRouted}
            renderCard={renderCard}
            renderProposed={renderProposed}
            actions={actions}
          />
        </div>
      </PriceContext>
    </WriteCodeContext>
  );
}
