import { ChartGantt, GitFork, List, Network, Square, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { rerun, type InspectorProps } from '../../store/turn-actions';
import { ApprovalCards } from '../run-parts/approval-cards';
import { Button } from '../../ui/button';
import { ErrorCard } from '../../ui/error-card';
import { formatSpan } from '../../ui/format';
import { IconButton } from '../../ui/icon-button';
import { factsOf, spanOf, type RunFacts } from '../run-parts/run-facts';
import { RunMeters } from '../run-parts/run-meters';
import { RunReceipt } from '../run-parts/run-receipt';
import { RunRevisions } from '../run-parts/run-revisions';
import { StatusMark } from '../../ui/status-mark';
import { useNow } from '../../ui/use-now';
import { EmptyState } from './empty-state';
import { NodeDrawer } from './node-drawer';
import { PlanGraph, type PlanViewProps } from './plan-graph';
import { PlanList } from './plan-list';
import { PlanTimeline } from './plan-timeline';

export interface RunTabProps extends Pick<
  InspectorProps,
  'onAnswerApproval' | 'onEditApproval' | 'onCopy' | 'onRun' | 'onStop'
> {
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

function RunHead({ run, facts, onStop }: { run: RunState; facts: RunFacts; onStop: () => void }) {
  const now = useNow(100, facts.active);
  const { usage } = run;
  const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
  const parts = [
    text('run.progress', { ended: facts.ended, total: facts.total }),
    formatSpan(spanOf(run, now) ?? 0),
    text('shared.calls', { count: facts.calls }),
    tokens > 0 ? text('shared.tokens', { count: tokens }) : undefined,
  ];
  return (
    <header className="flex items-start gap-3 px-4 pt-3 pb-3">
      <div className="min-w-0 grow">
        <StatusMark status={facts.waits ? 'waiting' : run.status} />
        <p dir="auto" className="readable mt-1 line-clamp-3 text-base wrap-anywhere">
          {run.goal}
        </p>
        <p className="numbers mt-0.5 text-sm text-muted">{parts.filter(Boolean).join(' · ')}</p>
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

function ViewSwitch({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    <div className="flex h-9 items-center gap-0.5 border-y border-line px-3">
      <span className="grow ps-1 text-xs font-medium text-muted">{text('inspector.plan.title')}</span>
      {views.map(({ id, icon, label }) => (
        <IconButton
          key={id}
          icon={icon}
          label={label}
          aria-pressed={view === id}
          onClick={() => onView(id)}
        />
      ))}
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

function Plan({ run, turn, onRun, onCopy }: Pick<RunTabProps, 'run' | 'turn' | 'onRun' | 'onCopy'>) {
  const [view, setView] = useState<View>('graph');
  const [chosen, setChosen] = useState<string | null>(null);
  const selected = chosen ?? noteworthy(run);
  const node = run.nodes.find(({ id }) => id === selected);
  const Shown = views.find(({ id }) => id === view)?.body ?? PlanGraph;
  return (
    <>
      <ViewSwitch view={view} onView={setView} />
      <Shown run={run} selected={selected} onSelect={setChosen} />
      {node && (
        <NodeDrawer
          key={node.id}
          run={run}
          node={node}
          onCopy={onCopy}
          onRerun={(from) => onRun(turn, rerun(from))}
        />
      )}
    </>
  );
}

/** A complete run: its goal, its pending requests, its plan, and any node of it. */
export function RunTab(props: RunTabProps) {
  const { run, turn, onAnswerApproval, onEditApproval, onCopy, onRun, onStop } = props;
  const facts = factsOf(run);
  return (
    <div>
      <RunHead run={run} facts={facts} onStop={() => onStop(turn)} />
      <div className="px-1 empty:hidden">
        <RunMeters run={run} />
        <RunReceipt run={run} />
      </div>
      <RunRevisions run={run} />
      <div className="space-y-3 px-4 empty:hidden [&>*]:mb-3">
        <ApprovalCards
          quiet
          run={run}
          open={facts.open}
          onAnswer={onAnswerApproval}
          onEdit={onEditApproval}
        />
        {run.error && run.status !== 'cancelled' && <ErrorCard error={run.error} />}
      </div>
      {run.plan ? (
        <Plan key={run.planHash ?? run.runId} run={run} turn={turn} onRun={onRun} onCopy={onCopy} />
      ) : (
        <EmptyState
          icon={GitFork}
          title={facts.active ? text('inspector.run.planning') : text('inspector.run.withoutPlan')}
        >
          {facts.active ? text('inspector.run.planningAbout') : text('inspector.run.endedEarly')}
        </EmptyState>
      )}
    </div>
  );
}
