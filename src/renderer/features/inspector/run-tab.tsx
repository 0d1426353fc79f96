import {
  ChartGantt,
  Expand,
  GitFork,
  List,
  Network,
  ShieldQuestion,
  Square,
  X,
  type LucideIcon,
} from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { rerun, type InspectorProps } from '../../store/turn-actions';
import { Button } from '../../ui/button';
import { ErrorCard } from '../../ui/error-card';
import { formatSpan } from '../../ui/format';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { factsOf, spanOf, type RunFacts } from '../run-parts/run-facts';
import { RunMeters } from '../run-parts/run-meters';
import { RunReceipt } from '../run-parts/run-receipt';
import { RunRevisions } from '../run-parts/run-revisions';
import { shownStatus, StatusMark } from '../../ui/status-mark';
import { useNow } from '../../ui/use-now';
import { EmptyState } from './empty-state';
import { NodeDrawer } from './node-drawer';
import { PlanGraph, type PlanViewProps } from './plan-graph';
import { PlanList } from './plan-list';
import { PlanTimeline } from './plan-timeline';
import { RunThinking } from './run-thinking';

export interface RunTabProps extends Pick<InspectorProps, 'onShowQuestion' | 'onCopy' | 'onRun' | 'onStop'> {
  readonly run: RunState;
  readonly turn: number;
}

type View = 'graph' | 'list' | 'timeline';

const views: readonly {
  readonly id: View;
  readonly icon: LucideIcon;
  readonly label: string;
  readonly body: (props: PlanViewProps) => ReactNode;
}[] = [
  { id: 'graph', icon: Network, label: text('inspector.plan.asGraph'), body: PlanGraph },
  { id: 'list', icon: List, label: text('inspector.plan.asList'), body: PlanList },
  { id: 'timeline', icon: ChartGantt, label: text('inspector.plan.asTimeline'), body: PlanTimeline },
];

/** One line of numbers, where there is no room for the meters. */
function RunNumbers({ run, facts }: { readonly run: RunState; readonly facts: RunFacts }) {
  const now = useNow(100, facts.active);
  const { usage } = run;
  const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
  const parts = [
    text('run.progress', { ended: facts.ended, total: facts.total }),
    formatSpan(spanOf(run, now) ?? 0),
    text('shared.calls', { count: facts.calls }),
    tokens > 0 ? text('shared.tokens', { count: tokens }) : undefined,
  ];
  return <p className="numbers mt-0.5 text-sm text-muted">{parts.filter(Boolean).join(' · ')}</p>;
}

interface RunHeadProps {
  readonly run: RunState;
  readonly facts: RunFacts;
  readonly onStop: () => void;
  readonly children?: ReactNode;
}

function RunHead({ run, facts, onStop, children }: RunHeadProps) {
  return (
    <header className="flex items-start gap-3 px-4 pt-3 pb-3">
      <div className="min-w-0 grow">
        <StatusMark status={facts.waits ? 'waiting' : shownStatus(run.status, run.error)} />
        <p dir="auto" className="readable mt-1 line-clamp-3 text-base wrap-anywhere">
          {run.goal}
        </p>
        {children}
      </div>
      {facts.active && (
        <Button className="h-7 px-2" onClick={onStop}>
          <Square aria-hidden="true" className="size-3 fill-current" />
          {text('inspector.run.cancel')}
        </Button>
      )}
    </header>
  );
}

interface ViewSwitchProps {
  readonly view: View;
  readonly onView: (view: View) => void;
  /** Shows the plan in the whole window; absent where it is. */
  readonly onExpand: (() => void) | undefined;
}

function ViewSwitch({ view, onView, onExpand }: ViewSwitchProps) {
  return (
    <div className="flex h-9 items-center gap-0.5 border-y border-line px-3">
      <span className="grow ps-1 text-xs font-medium text-muted">{text('inspector.plan.title')}</span>
      {views.map(({ id, icon, label }) => (
        <IconButton
          key={id}
          bare={!onExpand}
          icon={icon}
          label={label}
          aria-pressed={view === id}
          onClick={() => onView(id)}
        />
      ))}
      {onExpand && <IconButton icon={Expand} label={text('inspector.plan.expand')} onClick={onExpand} />}
    </div>
  );
}

/**
 * The default node: one that needs the user, else one that failed, else one that runs, else the last one to
 * end.
 */
function noteworthy(run: RunState): string | null {
  const by = (...statuses: readonly string[]) => run.nodes.find((node) => statuses.includes(node.status));
  const node =
    by('waiting') ?? by('failed') ?? by('running') ?? run.nodes.findLast(({ status }) => status === 'done');
  return (node ?? run.nodes[0])?.id ?? null;
}

interface PlanProps extends Pick<RunTabProps, 'run' | 'turn' | 'onRun' | 'onCopy'> {
  readonly onExpand?: () => void;
}

/** The steps of the plan and the chosen one: one below the other in the panel, side by side in the whole window. */
function Plan({ run, turn, onRun, onCopy, onExpand }: PlanProps) {
  const [view, setView] = useState<View>('graph');
  const [chosen, setChosen] = useState<string | null>(null);
  const selected = chosen ?? noteworthy(run);
  const node = run.nodes.find(({ id }) => id === selected);
  const Shown = views.find(({ id }) => id === view)?.body ?? PlanGraph;
  return (
    <div
      className={
        onExpand
          ? undefined
          : 'grid min-h-0 grow grid-cols-[minmax(0,1fr)] overflow-y-auto wide:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] wide:overflow-hidden'
      }
    >
      <div className={onExpand ? undefined : 'min-h-0 wide:overflow-y-auto wide:border-e wide:border-line'}>
        <ViewSwitch view={view} onView={setView} onExpand={onExpand} />
        <Shown tall={!onExpand} run={run} selected={selected} onSelect={setChosen} />
      </div>
      <div className={onExpand ? undefined : 'min-h-0 wide:overflow-y-auto'}>
        {node && (
          <NodeDrawer
            key={node.id}
            run={run}
            node={node}
            onCopy={onCopy}
            onRerun={(from) => onRun(turn, rerun(from))}
          />
        )}
      </div>
    </div>
  );
}

interface WholePlanProps extends PlanProps {
  readonly head: ReactNode;
  readonly onClose: () => void;
}

/** The plan of a run in the whole window, while it runs and afterwards. */
function WholePlan({ head, onClose, ...plan }: WholePlanProps) {
  return (
    <Modal
      label={text('inspector.plan.whole')}
      onClose={onClose}
      className="mt-[2vh] h-[96vh] max-h-none w-[calc(100vw-2rem)] max-w-none"
    >
      <div className="flex h-full flex-col">
        <div className="flex items-start border-b border-line pe-3">
          <div className="min-w-0 grow">{head}</div>
          <IconButton
            bare
            data-autofocus
            icon={X}
            label={text('inspector.review.close')}
            className="mt-3"
            onClick={onClose}
          />
        </div>
        <Plan key={plan.run.planHash ?? plan.run.runId} {...plan} />
      </div>
    </Modal>
  );
}

/** Says that the run asks; the conversation is the one place to answer. */
function WaitingQuestion({ onShow }: { readonly onShow: () => void }) {
  return (
    <div className="flex flex-wrap items-center gap-2.5 rounded-lg border border-copper/45 bg-copper-soft p-3">
      <ShieldQuestion aria-hidden="true" className="size-4 shrink-0 text-copper-text" />
      <p className="min-w-0 grow text-sm">{text('inspector.run.asks')}</p>
      <Button onClick={onShow}>{text('inspector.run.showQuestion')}</Button>
    </div>
  );
}

/** A complete run: its goal, whether it waits for the user, its plan, and any node of it. */
export function RunTab(props: RunTabProps) {
  const { run, turn, onShowQuestion, onCopy, onRun, onStop } = props;
  const facts = factsOf(run);
  const [expanded, setExpanded] = useState(false);
  const stop = () => onStop(turn);
  return (
    <div>
      <RunHead run={run} facts={facts} onStop={stop} />
      <div className="px-1 empty:hidden">
        <RunMeters run={run} />
        <RunReceipt run={run} />
      </div>
      <RunThinking run={run} />
      <RunRevisions run={run} />
      <div className="space-y-3 px-4 empty:hidden [&>*]:mb-3">
        {facts.open.length > 0 && <WaitingQuestion onShow={() => onShowQuestion(turn)} />}
        {run.error && run.status !== 'cancelled' && run.error.code !== 'APPROVAL_DENIED' && (
          <ErrorCard error={run.error} />
        )}
      </div>
      {run.plan ? (
        <Plan
          key={run.planHash ?? run.runId}
          run={run}
          turn={turn}
          onRun={onRun}
          onCopy={onCopy}
          onExpand={() => setExpanded(true)}
        />
      ) : (
        <EmptyState
          icon={GitFork}
          title={facts.active ? text('inspector.run.planning') : text('inspector.run.withoutPlan')}
        >
          {facts.active ? text('inspector.run.planningAbout') : text('inspector.run.endedEarly')}
        </EmptyState>
      )}
      {expanded && run.plan && (
        <WholePlan
          head={
            <RunHead run={run} facts={facts} onStop={stop}>
              <RunNumbers run={run} facts={facts} />
            </RunHead>
          }
          run={run}
          turn={turn}
          onRun={onRun}
          onCopy={onCopy}
          onClose={() => setExpanded(false)}
        />
      )}
    </div>
  );
}
