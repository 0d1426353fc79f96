import { useCallback, useMemo, useRef } from 'react';
import { continueLine, type Turn } from '#shared/session-state';
import { Welcome } from '../features/welcome/welcome';
import { listedPriceOf, type ModelRef } from '#shared/model';
import { useApp, useCurrentSession, useLiveText, useMirror, useView } from '../store/app-context';
import { PriceContext } from '../store/model-prices';
import { lastTurn } from '../store/session-view';
import { lazyPart } from '../ui/lazy-part';
import { CompactionLine } from './compaction-line';
import type { TurnCard } from '../store/reply-parts';
import { GapNote } from './gap-note';
import type { TurnActions } from '../store/turn-actions';

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
const RoutedBy = lazyPart(async () => (await import('../features/control-plane/routed-turn')).RoutedBy);
const FindBar = lazyPart(async () => (await import('../features/find/find-bar')).FindBar);

/** The actions of turns, as commands; the object is stable, so completed turns never render again. */
function useTurnActions(): TurnActions {
  const { commands, view } = useApp();
  return useMemo(
    () => ({
      onRetry: (turn, options) => void commands.retry(turn, options),
      onRegenerate: (turn) => void commands.regenerate(turn),
      onOtherModel: commands.askOtherModel,
      readItem: commands.readItem,
      onEdit: commands.edit,
      onSendEdited: (turn, text) => void commands.sendEdited(turn, text),
      onChooseBranch: (turn) => void commands.chooseBranch(turn),
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

const renderRoutedBy = (turn: Turn) => <RoutedBy turn={turn} />;
const renderCard = (turn: Turn, card: TurnCard) => <ProposedCard turn={turn} card={card} />;
const renderRouted = (turn: Turn) => <RoutedTurn turn={turn} />;

/** The session on the screen, or suggestions while it has no turns. */
export function Conversation() {
  const actions = useTurnActions();
  const box = useRef<HTMLDivElement>(null);
  const session = useCurrentSession((current) => current);
  const sessionId = useView((view) => view.sessionId);
  const ready = useView((view) => view.ready);
  const finding = useView((view) => view.find !== null);
  const focusTurn = useView((view) => view.focusTurn);
  const editing = useView((view) => view.editing);
  const models = useMirror((mirror) => mirror.models);
  const priceOf = useCallback((model: ModelRef) => listedPriceOf(model, models), [models]);
  const renderRun = useCallback(
    (turn: Turn) => (
      <>
        <RunCard turn={turn} {...actions} />
        <AfterNewestRun turn={turn} />
      </>
    ),
    [actions],
  );
  const renderProposed = useCallback(
    (turn: Turn) => (
      <>
        {turn.reply && <ReplyChangedTools turn={turn} onRetry={actions.onRetry} />}
        <ProposedTurn turn={turn} />
        <GapNote turn={turn.turn} />
        <CompactionLine turn={turn.turn} />
      </>
    ),
    [actions],
  );
  if (!session) {
    // A snapshot takes milliseconds: a spinner would only flash.
    return sessionId === null && ready ? <Welcome /> : null;
  }
  if (session.turnCount === 0) return <Welcome />;
  return (
    <PriceContext value={priceOf}>
      <div ref={box} className="flex min-h-0 grow flex-col">
        {finding && <FindBar key={session.id} session={session} root={box} />}
        <TurnList
          key={`turns ${session.id}`}
          session={session}
          useLive={useLiveText}
          focusTurn={focusTurn}
          editing={editing}
          renderRun={renderRun}
          renderRoutedBy={renderRoutedBy}
          renderRouted={renderRouted}
          renderCard={renderCard}
          renderProposed={renderProposed}
          {...actions}
        />
      </div>
    </PriceContext>
  );
}
