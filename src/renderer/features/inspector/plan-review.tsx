import { List, Network, PenLine, Redo2, Undo2, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { AppError } from '#shared/app-error';
import type { PlanDecision } from '#shared/plan-review';
import { turnAt, waitingPlan, type NodeState, type ProposedPlan, type RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { useApp, useCurrentSession } from '../../store/app-context';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { CodeBlock } from '../../ui/markdown/code-block';
import { Modal } from '../../ui/modal';
import { costText } from '../run-parts/run-facts';
import { ChosenRecipe } from '../run-parts/chosen-recipe';
import { PlanGraph } from './plan-graph';
import { PlanList } from './plan-list';
import { CodeField, Findings, Fold, ParamFields, PlanStepEditor } from './plan-step-editor';
import { usePlanEdit, type PlanEdit } from './use-plan-edit';

const defaultStages = 6;

const pending = (id: string): NodeState => ({
  id,
  status: 'pending',
  summary: '',
  calls: [],
  callCount: 0,
  cached: false,
});

/** The run as its graph and list show it: with the edited plan, of which nothing has run. */
function runWith({ revisions: _revisions, ...run }: RunState, { plan }: PlanEdit): RunState {
  return { ...run, plan, nodes: plan.nodes.map(({ id }) => pending(id)) };
}

/** The results of the stages before this one. */
function EarlierResults({ run }: { readonly run: RunState }) {
  const { announces = {} } = run;
  const nodes = run.nodes.filter(({ id }) => !Object.hasOwn(announces, id));
  if (nodes.length === 0) return null;
  return (
    <Fold title={text('inspector.review.earlier', { count: nodes.length })}>
      <ul className="space-y-3">
        {nodes.map(({ id, status, summary, state }) => (
          <li key={id} className="readable wrap-anywhere">
            <span className="font-mono text-xs">{id}</span> {summary === '' ? status : summary}
            {state && Object.keys(state).length > 0 && (
              <CodeBlock code={JSON.stringify(state, null, 2)} language="json" growing={false} />
            )}
          </li>
        ))}
      </ul>
    </Fold>
  );
}

function Params({ edit }: { readonly edit: PlanEdit }) {
  if (Object.keys(edit.params).length === 0) return null;
  return (
    <Fold open title={text('inspector.step.parameters')}>
      <ParamFields params={edit.params} invalidText={edit.invalidText} onEdit={edit.editParam} />
    </Fold>
  );
}

function Answer({ edit, look, following }: Omit<PlanProps, 'run'>) {
  const { answer } = edit.plan;
  if (following > 0)
    return (
      <p className="px-4 py-2.5 text-sm text-muted">
        {text('inspector.review.following', { count: following })}
      </p>
    );
  if (look) return <p className="px-4 py-2.5 text-sm text-muted">{text('inspector.review.look')}</p>;
  if (typeof answer !== 'string')
    return <p className="px-4 py-2.5 text-sm text-muted">{text('inspector.review.modelAnswers')}</p>;
  return (
    <Fold title={text('inspector.review.answer')}>
      <CodeField
        label={text('inspector.review.answer')}
        language="text"
        value={answer}
        onChange={edit.editAnswer}
      />
    </Fold>
  );
}

interface PlanProps {
  readonly run: RunState;
  readonly edit: PlanEdit;
  readonly look: boolean;
  /** How many stages of a given plan or a recipe come after this one. */
  readonly following: number;
}

function Constraints({ edit }: { readonly edit: PlanEdit }) {
  const { constraints } = edit.plan;
  if (constraints.length === 0) return null;
  return (
    <Fold title={text('run.constraints')}>
      <ul className="readable list-disc ps-4">
        {constraints.map((constraint, at) => (
          <li key={at}>{constraint}</li>
        ))}
      </ul>
    </Fold>
  );
}

/** The steps as a graph or a list, and the chosen one with its fields. */
function Steps({ run, edit, look, following }: PlanProps) {
  const [asList, setAsList] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const node = edit.plan.nodes.find(({ id }) => id === chosen) ?? edit.plan.nodes[0];
  const Shown = asList ? PlanList : PlanGraph;
  const editor = useRef<HTMLDivElement>(null);
  // In a narrow window, the fields are below the steps.
  useEffect(() => {
    if (chosen !== null) editor.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const general = edit.findings.filter((finding) => !edit.plan.nodes.some(({ id }) => id === finding.node));
  return (
    <div className="grid min-h-0 grow grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,auto)_minmax(0,1fr)] overflow-y-auto wide:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] wide:grid-rows-1 wide:overflow-hidden">
      <div className="min-h-0 wide:overflow-y-auto wide:border-e wide:border-line">
        <EarlierResults run={run} />
        <div className="flex h-9 items-center gap-0.5 border-b border-line px-3">
          <span className="grow ps-1 text-xs font-medium text-muted">
            {text('inspector.review.steps', { count: edit.plan.nodes.length })}
          </span>
          <IconButton
            bare
            icon={Network}
            label={text('inspector.plan.asGraph')}
            aria-pressed={!asList}
            onClick={() => setAsList(false)}
          />
          <IconButton
            bare
            icon={List}
            label={text('inspector.plan.asList')}
            aria-pressed={asList}
            onClick={() => setAsList(true)}
          />
        </div>
        <Shown run={runWith(run, edit)} selected={node?.id ?? null} onSelect={setChosen} />
        <div className="px-4 pb-3 empty:hidden">
          <Findings findings={general} />
        </div>
        <Params edit={edit} />
        <Constraints edit={edit} />
        <Answer edit={edit} look={look} following={following} />
      </div>
      <div ref={editor} className="min-h-0 wide:overflow-y-auto">
        {node && <PlanStepEditor key={node.id} run={run} node={node} edit={edit} />}
      </div>
    </div>
  );
}

/** The number of steps that may write. */
function ExpectedWrites({ edit }: { readonly edit: PlanEdit }) {
  const count = edit.plan.nodes.filter(({ id }) => (edit.writes[id] ?? []).length > 0).length;
  if (count === 0) return text('inspector.review.readsOnly');
  return (
    <span className="flex items-center gap-1.5">
      <PenLine aria-hidden="true" className="size-3.5 shrink-0 text-copper-text" />
      {text('inspector.review.mayWrite', { count })}
    </span>
  );
}

interface ReviewProps {
  readonly turn: number;
  readonly run: RunState;
  readonly proposal: ProposedPlan;
}

/** Starts the plan once, and says why when it cannot. */
function useRun(runId: string, { decision, dropDraft }: PlanEdit) {
  const { commands, view } = useApp();
  const [running, setRunning] = useState(false);
  const [problem, setProblem] = useState<AppError>();
  const start = async (): Promise<void> => {
    setRunning(true);
    const started = await commands.runPlan(runId, decision);
    setRunning(false);
    if (!started.ok) return setProblem(started.error);
    dropDraft();
    view.set({ dialog: null });
  };
  return { start, running, problem };
}

function Foot(props: {
  readonly edit: PlanEdit;
  readonly ready: boolean;
  readonly problem: AppError | undefined;
  readonly onCancel: () => void;
  readonly onRun: () => void;
}) {
  const { edit, ready, problem, onCancel, onRun } = props;
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
      <p role="status" className="min-w-0 grow text-sm text-muted wrap-anywhere">
        {problem ? <span className="text-danger-text">{problem.message}</span> : null}
        {!problem && edit.findings.length > 0 ? (
          <span className="text-danger-text">
            {text('inspector.review.problems', { count: edit.findings.length })}
          </span>
        ) : null}
        {!problem && edit.findings.length === 0 && <ExpectedWrites edit={edit} />}
        {edit.cost !== undefined && <span className="block">{costText(edit.cost)}</span>}
      </p>
      <Button tone="quiet" onClick={onCancel}>
        {text('inspector.review.cancel')}
      </Button>
      <Button tone="primary" disabled={!ready} aria-keyshortcuts="Control+Enter" onClick={onRun}>
        {text(edit.edited ? 'inspector.review.runEdited' : 'inspector.review.run')}
      </Button>
    </div>
  );
}

const isUndoKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && key.toLowerCase() === 'z';

function Review({ turn, run, proposal }: ReviewProps) {
  const { commands, view } = useApp();
  const { runId } = run;
  const check = useCallback((edit: PlanDecision) => commands.checkPlan(runId, edit), [commands, runId]);
  const edit = usePlanEdit(runId, proposal, check);
  const { start, running, problem } = useRun(runId, edit);
  const ready = !running && edit.preview?.findings.length === 0;
  const close = () => view.set({ dialog: null });
  const onKeyDown = (event: KeyboardEvent): void => {
    const chord = event.ctrlKey || event.metaKey;
    if (chord && event.key === 'Enter') {
      event.preventDefault();
      if (ready) void start();
    }
    if (!isUndoKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) edit.redo();
    else edit.undo();
  };
  const max = run.budgets?.run.stages ?? defaultStages;
  return (
    <Modal
      label={text('inspector.review.name')}
      onClose={close}
      className="mt-[2vh] h-[96vh] max-h-none w-[calc(100vw-2rem)] max-w-none"
    >
      <div className="flex h-full flex-col" onKeyDown={onKeyDown}>
        <header className="flex items-start gap-2 border-b border-line py-3 ps-4 pe-3">
          <div className="min-w-0 grow">
            <h2 className="text-lg font-semibold">{text('inspector.review.name')}</h2>
            <p dir="auto" className="readable mt-0.5 truncate text-sm text-muted" title={run.goal}>
              {text('inspector.review.stage', { stage: proposal.stage, max })} · {run.goal}
            </p>
            <ChosenRecipe proposal={proposal} />
          </div>
          <IconButton
            bare
            icon={Undo2}
            label={text('inspector.review.undo')}
            disabled={!edit.canUndo}
            onClick={edit.undo}
          />
          <IconButton
            bare
            icon={Redo2}
            label={text('inspector.review.redo')}
            disabled={!edit.canRedo}
            onClick={edit.redo}
          />
          <IconButton icon={X} label={text('inspector.review.close')} onClick={close} />
        </header>
        <Steps
          run={run}
          edit={edit}
          look={proposal.look === true}
          following={proposal.following?.length ?? 0}
        />
        <Foot
          edit={edit}
          ready={ready}
          problem={problem}
          onCancel={() => {
            edit.dropDraft();
            void commands.controlRun(turn, { type: 'reject-plan', runId });
            close();
          }}
          onRun={() => void start()}
        />
      </div>
    </Modal>
  );
}

/** A full view of the plan that waits in a turn's run; empty when none waits any more. */
export function PlanReview({ turn }: { readonly turn: number }) {
  const run = useCurrentSession((session) => session && turnAt(session, turn)?.run);
  const { view } = useApp();
  const proposal = run ? waitingPlan(run) : null;
  if (run && proposal) {
    return (
      <Review key={`${proposal.stage} ${proposal.planHash}`} turn={turn} run={run} proposal={proposal} />
    );
  }
  return (
    <Modal
      label={text('inspector.review.name')}
      onClose={() => view.set({ dialog: null })}
      className="mt-[20vh] w-96 p-5"
    >
      <p className="text-sm">{text('inspector.review.gone')}</p>
      <div className="mt-4 flex justify-end">
        <Button data-autofocus onClick={() => view.set({ dialog: null })}>
          {text('inspector.review.close')}
        </Button>
      </div>
    </Modal>
  );
}
