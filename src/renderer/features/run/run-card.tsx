import {
  BookmarkPlus,
  ChevronDown,
  ChevronRight,
  PanelRight,
  Pause,
  Play,
  Shield,
  Square,
} from 'lucide-react';
import { useId, useState } from 'react';
import { parseEnforcedConstraint } from '#shared/plan-constraint';
import type { RunState, Turn } from '#shared/session-state';
import { text } from '../../locales/text';
import { rerun, type TurnActions, type UseLive } from '../../store/turn-actions';
import { ApprovalCards } from '../run-parts/approval-cards';
import { Button } from '../../ui/button';
import { Delayed } from '../../ui/failed-attempts';
import { DrawnImages } from '../run-parts/drawn-images';
import { formatSpan } from '../../ui/format';
import { IconButton } from '../../ui/icon-button';
import { Markdown } from '../../ui/markdown/markdown';
import { artifactsOf } from '../../ui/media-kind';
import { hasUnknownOutcome } from '../../store/session-view';
import { factsOf, spanOf, statusOf, titleOf, type RunFacts } from '../run-parts/run-facts';
import { RunMeters } from '../run-parts/run-meters';
import { RunReceipt } from '../run-parts/run-receipt';
import { RunRevisions } from '../run-parts/run-revisions';
import { shownStatus, StatusMark } from '../../ui/status-mark';
import { RunEnding } from './run-ending';
import { RunNodes } from './run-nodes';
import { RunWrites } from './run-writes';
import { WaitingPlan } from './waiting-plan';
import { Thinking } from '../../ui/thinking';
import { useNow } from '../../ui/use-now';

interface RunCardProps extends TurnActions {
  readonly turn: Turn;
  readonly useLive: UseLive;
}

interface HeadProps {
  readonly run: RunState;
  readonly turn: number;
  readonly actions: TurnActions;
}

function PauseButton({ run, turn, actions }: HeadProps) {
  const Icon = run.paused ? Play : Pause;
  return (
    <Button
      tone="quiet"
      className="h-7 px-2"
      onClick={() => actions.onRun(turn, { type: run.paused ? 'continue' : 'pause', runId: run.runId })}
    >
      <Icon aria-hidden="true" className="size-3 fill-current" />
      {run.paused ? text('run.continue') : text('run.pause')}
    </Button>
  );
}

function HeadTools({ run, turn, active, actions }: HeadProps & { active: boolean }) {
  const canResume = !active && !hasUnknownOutcome(run);
  return (
    <div className="flex shrink-0 items-center gap-1">
      {run.status === 'running' && <PauseButton run={run} turn={turn} actions={actions} />}
      {/* The run used the cached plan of an earlier run with the same goal. */}
      {canResume && run.source === 'earlier' && (
        <Button
          tone="quiet"
          className="h-7 px-2"
          onClick={() => actions.onRegenerate(turn, { planAnew: true })}
        >
          {text('run.newPlan')}
        </Button>
      )}
      {canResume && run.nodes.some(({ cached }) => cached) && (
        <Button
          tone="quiet"
          className="h-7 px-2"
          onClick={() => actions.onRegenerate(turn, { planAnew: false, fresh: true })}
        >
          {text('run.noCache')}
        </Button>
      )}
      {active && (
        <Button tone="quiet" className="h-7 px-2" onClick={() => actions.onStop(turn)}>
          <Square aria-hidden="true" className="size-3 fill-current" />
          {text('run.cancel')}
        </Button>
      )}
      {run.status === 'done' && (
        <IconButton
          icon={BookmarkPlus}
          label={text('run.recipe.name')}
          onClick={() => actions.onSaveRecipe(turn)}
        />
      )}
      <IconButton
        icon={PanelRight}
        label={text('shared.openInspector')}
        onClick={() => actions.onOpenInspector(turn)}
      />
    </div>
  );
}

function Head({ run, facts, turn, actions }: HeadProps & { facts: RunFacts }) {
  return (
    <div className="ps-3 pe-1.5 pt-2">
      <div className="flex items-center gap-2">
        <StatusMark status={facts.waits ? 'waiting' : shownStatus(run.status, run.error)} />
        <span dir="auto" className="readable min-w-0 grow truncate text-base" title={run.goal}>
          {run.goal}
        </span>
        <HeadTools run={run} turn={turn} active={facts.active} actions={actions} />
      </div>
      <RunNumbers run={run} facts={facts} />
    </div>
  );
}

/** Lines of the user that the run took along. */
function SteeredLines({ lines = [] }: { readonly lines: RunState['steered'] }) {
  return lines.map(({ lineId, stage, planning, text: line }) => (
    <p key={lineId} className="px-3 pb-1.5 text-sm text-text">
      <span className="text-muted">{text(planning ? 'run.steeredPlanning' : 'run.steered', { stage })} </span>
      <bdi className="readable whitespace-pre-wrap wrap-anywhere">{line}</bdi>
    </p>
  ));
}

/** The plan's own constraints; a note says which of them the host enforces. */
function RunConstraints({ constraints }: { readonly constraints: readonly string[] }) {
  if (constraints.length === 0) return null;
  return (
    <ul
      aria-label={text('run.constraints')}
      className="flex flex-wrap gap-x-4 gap-y-1 px-3 pb-1.5 text-sm text-muted"
    >
      {constraints.map((constraint, place) => (
        <li key={place} className="flex min-w-0 items-start gap-1.5">
          <Shield aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            <bdi>{constraint}</bdi>
            {parseEnforcedConstraint(constraint) && <span className="text-xs"> {text('run.enforced')}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

/**
 * The list of nodes: open while the run is in progress or has failed, collapsed once it is done, unless the
 * user chooses otherwise.
 */
function Nodes({ run, facts, turn, actions }: HeadProps & { facts: RunFacts }) {
  const id = useId();
  const [chosen, setChosen] = useState<boolean>();
  // A run that exceeded a budget before it had a plan still shows which one.
  if (run.nodes.length === 0) return run.error?.kind === 'BUDGET' ? <RunMeters run={run} onlyTight /> : null;
  const open = chosen ?? (facts.active || run.status !== 'done');
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <div className="border-t border-line">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        className="flex h-8 w-full items-center gap-1.5 px-3 text-sm text-muted hover:bg-hover hover:text-text focus-visible:-outline-offset-2"
        onClick={() => setChosen(!open)}
      >
        <Icon aria-hidden="true" className="size-3.5" />
        {open ? text('run.steps') : text('run.showSteps', { count: facts.total })}
      </button>
      <div id={id}>
        {open && (
          <>
            <RunConstraints constraints={run.plan?.constraints ?? []} />
            <RunNodes run={run} onRerun={(from) => actions.onRun(turn, rerun(from))} />
            <div className="border-t border-line pt-2 empty:hidden">
              <RunMeters run={run} onlyTight />
              <RunReceipt run={run} />
            </div>
          </>
        )}
      </div>
    </div>
  );
}

function Approvals({ run, facts, actions }: { run: RunState; facts: RunFacts; actions: TurnActions }) {
  if (facts.open.length === 0) return null;
  return (
    <div className="space-y-2 border-t border-line p-3">
      <ApprovalCards
        run={run}
        open={facts.open}
        onAnswer={actions.onAnswerApproval}
        onEdit={actions.onEditApproval}
      />
    </div>
  );
}

/** The answer without the host's list of writes, which appears below with status marks. */
const wordsOf = ({ answer = '', writesFrom }: RunState): string => answer.slice(0, writesFrom).trimEnd();

/**
 * A run in the conversation: its description, progress and open requests, followed by its outcome. A run in
 * which the model only spoke looks like a reply.
 */
export function RunCard({ turn, useLive, ...actions }: RunCardProps) {
  const { run } = turn;
  const thought = useLive(turn.turn) ?? '';
  if (!run) return null;
  const facts = factsOf(run);
  // If a run failed before its first step, its answer is its error, which the card above already shows.
  const answer = run.answer === run.error?.message ? '' : wordsOf(run);
  if (run.status === 'answered') {
    return (
      <Markdown text={answer} streaming={false} onOpenLink={actions.onOpenLink} onCopy={actions.onCopy} />
    );
  }
  return (
    <div>
      <section
        aria-label={text('run.name')}
        className="overflow-hidden rounded-lg border border-line bg-surface"
      >
        <Head run={run} facts={facts} turn={turn.turn} actions={actions} />
        <RunSegments run={run} facts={facts} />
        {run.delayed && facts.active && (
          <div className="border-t border-line px-3 py-2">
            <Delayed
              {...run.delayed}
              onStop={() => actions.onStop(turn.turn)}
              // Another model begins again: once the run has written, its writes would be asked about twice.
              {...(run.writes.length === 0 && { onOtherModel: () => actions.onOtherModel(turn.turn) })}
            />
          </div>
        )}
        {facts.active && thought !== '' && (
          <div className="border-t border-line px-3 py-2">
            <Thinking label={text('message.thinking')} words={thought} />
          </div>
        )}
        <SteeredLines lines={run.steered} />
        <RunRevisions run={run} />
        <Nodes run={run} facts={facts} turn={turn.turn} actions={actions} />
        {/* Last, so that a question appears where the conversation ends and the user reads. */}
        <Approvals run={run} facts={facts} actions={actions} />
        <WaitingPlan run={run} onRun={(action) => actions.onRun(turn.turn, action)} />
      </section>
      <RunEnding
        run={run}
        onRetry={() => actions.onRegenerate(turn.turn, { planAnew: false })}
        onOtherModel={() => actions.onOtherModel(turn.turn)}
        onRun={(action) => actions.onRun(turn.turn, action)}
      />
      {answer !== '' && (
        <div className="mt-4">
          <Markdown text={answer} streaming={false} onOpenLink={actions.onOpenLink} onCopy={actions.onCopy} />
        </div>
      )}
      <RunWrites run={run} />
      <DrawnImages artifacts={run.nodes.flatMap(artifactsOf)} />
    </div>
  );
}
const sources = {
  recipe: text('run.source.recipe'),
  file: text('run.source.file'),
  model: text('run.source.model'),
  earlier: text('run.source.earlier'),
} as const;
function sourceOf(run: RunState): string | undefined {
  const { recipeId, suggested } = run;
  if (recipeId !== undefined)
    return text(suggested ? 'run.source.chosenRecipe' : 'run.source.recipeId', { id: recipeId });
  if (suggested) return text('run.source.chosenTool');
  return run.source && sources[run.source];
}

function currentPart(run: RunState, { current, plansNext }: RunFacts): string | undefined {
  if (run.paused) return text('run.paused');
  if (plansNext) return text('run.planningNext');
  return current ? titleOf(run, current.id) : sourceOf(run);
}

/** One line of numbers: nodes, time, calls, and the current step. */
function RunNumbers({ run, facts }: { run: RunState; facts: RunFacts }) {
  const now = useNow(100, facts.active);
  // An interruption ends nodes that did nothing, so only completed ones count.
  const done = run.nodes.filter(({ status }) => status === 'done').length;
  const ended = run.status === 'interrupted' ? done : facts.ended;
  const parts = [
    facts.total > 0 ? text('run.progress', { ended, total: facts.total }) : undefined,
    formatSpan(spanOf(run, now) ?? 0),
    facts.total > 0 ? text('shared.calls', { count: facts.calls }) : undefined,
    run.answerCached ? text('run.answerCached') : undefined,
    currentPart(run, facts),
  ];
  return <p className="numbers truncate pe-1.5 text-sm text-muted">{parts.filter(Boolean).join(' · ')}</p>;
}
const colours: Readonly<Record<ReturnType<typeof statusOf>, string>> = {
  pending: 'bg-track',
  running: 'bg-accent animate-pulse',
  waiting: 'bg-copper',
  done: 'bg-accent',
  failed: 'bg-danger',
  skipped: 'bg-line-strong',
  cancelled: 'bg-line-strong',
  declined: 'bg-line-strong',
};

/** The progress of a run, one segment per node; decoration only, the text beside it says the same. */
function RunSegments({ run, facts }: { run: RunState; facts: RunFacts }) {
  const plans = facts.plansNext || (run.status === 'planning' && run.nodes.length === 0);
  return (
    <div aria-hidden="true" className="flex h-1 gap-0.5 px-3 mt-2 mb-3">
      {run.nodes.map((node) => (
        <span key={node.id} className={`grow rounded-full ${colours[statusOf(run, node)]}`} />
      ))}
      {plans && <span className="grow animate-pulse rounded-full bg-track" />}
    </div>
  );
}
