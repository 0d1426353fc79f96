import { maxParallelItems, type PlanNode } from '#shared/plan';
import type { NodeState, RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { nodeRows, type BudgetRow } from '../run-parts/budget-rows';
import { CodeBlock } from '../../ui/markdown/code-block';
import { FailedAttempts } from '../../ui/failed-attempts';
import { formatSpan, formatTime, formatList } from '../../ui/format';
import { artifactsOf } from '../../ui/media-kind';
import { NodeButtons, type NodeButtonsProps } from '../run-parts/node-buttons';
import { isActive, spanOf, statusOf, summaryOf, titleOf } from '../run-parts/run-facts';
import { StatusMark } from '../../ui/status-mark';
import { useNow } from '../../ui/use-now';
import { ArtifactRows } from './artifact-rows';
import { NodeSpans } from './node-spans';
import { BudgetMeter, BudgetNumbers, BudgetBreach } from '../run-parts/budget-meter';
import { describeError } from '../../ui/error-text';
import { revisionOf } from '../run-parts/revised-steps';
import { CallError } from '../run-parts/call-error';
import { CallRow } from '../run-parts/call-row';
import type { ReactNode } from 'react';
import { useClock } from '../../ui/use-clock';

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0;
}

function JsonBlock({ value }: { value: unknown }) {
  return <CodeBlock code={JSON.stringify(value, null, 2)} language="json" growing={false} />;
}

function NodeHead({ run, node, plan }: { run: RunState; node: NodeState; plan: PlanNode | undefined }) {
  useClock();
  const ticking = isActive(run) && node.status === 'running';
  const span = spanOf(node, useNow(100, ticking));
  const summary = summaryOf(node);
  const facts = [
    plan?.kind,
    node.startedAt === undefined
      ? undefined
      : text('inspector.step.started', { time: formatTime(node.startedAt) }),
    span === undefined ? undefined : formatSpan(span),
    node.cached ? text('runParts.call.cached') : undefined,
    node.failedAttempts
      ? text('inspector.step.attempts', { count: node.failedAttempts.length + 1 })
      : undefined,
    plan && plan.deps.length > 0 ? text('inspector.step.after', { steps: formatList(plan.deps) }) : undefined,
  ];
  return (
    <header>
      <div className="flex items-start justify-between gap-3">
        <h3 dir="auto" className="readable text-base font-medium">
          {titleOf(run, node.id)}
        </h3>
        <StatusMark status={statusOf(run, node)} />
      </div>
      <p className="numbers readable mt-0.5 text-sm text-muted">
        <span className="font-mono text-xs">{node.id}</span> · {facts.filter(Boolean).join(' · ')}
      </p>
      {summary !== '' && (
        <p dir="auto" className="readable mt-2 text-base whitespace-pre-wrap wrap-anywhere">
          {summary}
        </p>
      )}
    </header>
  );
}

/** The definition of the node: its script or prompt, and its inputs. */
function NodeSource({ plan }: { plan: PlanNode }) {
  return (
    <>
      {plan.code !== undefined && (
        <Section title={text('inspector.step.script')}>
          <CodeBlock code={plan.code} language="javascript" growing={false} />
        </Section>
      )}
      {plan.prompt !== undefined && (
        <Section title={text('inspector.step.prompt')}>
          {plan.each !== undefined && (
            <p className="readable mb-1.5 text-sm text-muted">
              {text('inspector.review.each', {
                list: plan.each,
                parallel: plan.parallel ?? maxParallelItems,
              })}
            </p>
          )}
          <CodeBlock code={plan.prompt} language="text" growing={false} />
        </Section>
      )}
      {!isEmpty(plan.params) && (
        <Section title={text('inspector.step.parameters')}>
          <JsonBlock value={plan.params} />
        </Section>
      )}
      {(plan.tools?.length ?? 0) > 0 && (
        <Section title={text('inspector.step.mayCall')}>
          <ul className="readable font-mono text-xs leading-5 wrap-anywhere">
            {plan.tools?.map((tool) => (
              <li key={tool}>{tool}</li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

interface PartProps {
  readonly run: RunState;
  readonly node: NodeState;
  readonly plan: PlanNode | undefined;
}

/** The results of the dependencies, as this node's script reads them. */
function Inputs({ run, plan }: PartProps) {
  const inputs = (plan?.deps ?? []).flatMap((id) => {
    const state = run.nodes.find((other) => other.id === id)?.state;
    return state === undefined || isEmpty(state) ? [] : [[id, state] as const];
  });
  if (inputs.length === 0) return null;
  return (
    <Section title={text('inspector.step.inputs')} note={text('inspector.step.inputsNote')}>
      <JsonBlock value={Object.fromEntries(inputs)} />
    </Section>
  );
}

function Calls({ node }: PartProps) {
  if (node.callCount === 0) return null;
  return (
    <Section title={text('inspector.step.calls')} note={text('shared.calls', { count: node.callCount })}>
      <NodeSpans node={node} />
      <NodeCalls node={node} />
    </Section>
  );
}

function Log({ node: { log = [] } }: PartProps) {
  if (log.length === 0) return null;
  return (
    <Section title={text('inspector.step.log')} note={text('shared.lines', { count: log.length })}>
      <CodeBlock code={log.join('\n')} language="log" growing={false} />
    </Section>
  );
}

/** The outcome of the node: its result, artifacts, log and resource use. */
function Outcome({ node, onCopy, ...rest }: PartProps & { onCopy: (text: string) => void }) {
  const { state } = node;
  const artifacts = artifactsOf(node);
  const rows = nodeRows(rest.run, node);
  return (
    <>
      {!isEmpty(state) && (
        <Section title={text('inspector.step.result')}>
          <JsonBlock value={state} />
        </Section>
      )}
      {artifacts.length > 0 && (
        <Section title={text('inspector.step.artifacts')}>
          <ArtifactRows artifacts={artifacts} onCopy={onCopy} />
        </Section>
      )}
      <Log node={node} {...rest} />
      {rows.length > 0 && (
        <Section title={text('inspector.step.spent')} note={text('inspector.step.spentNote')}>
          <BudgetBars rows={rows} />
        </Section>
      )}
    </>
  );
}

interface NodeDrawerProps extends NodeButtonsProps {
  readonly onCopy: (text: string) => void;
}

/** All details of one node, in the order of likely questions: status, error, definition, activity. */
export function NodeDrawer({ run, node, onRerun, onCopy }: NodeDrawerProps) {
  const plan = run.plan?.nodes.find(({ id }) => id === node.id);
  return (
    <article
      aria-label={text('inspector.step.name', { title: titleOf(run, node.id) })}
      className="px-4 pt-3.5 pb-8"
    >
      <NodeHead run={run} node={node} plan={plan} />
      <NodeButtons run={run} node={node} onRerun={onRerun} />
      <FailedAttempts node={node} />
      {node.error && (
        <div className="mt-3">
          <CallError error={node.error} />
        </div>
      )}
      <NodeOrigin run={run} node={node} />
      {plan && <NodeSource plan={plan} />}
      <Inputs run={run} node={node} plan={plan} />
      <Calls run={run} node={node} plan={plan} />
      <Outcome run={run} node={node} plan={plan} onCopy={onCopy} />
    </article>
  );
}

/** The resources a node used, relative to its limits; the limit that ended it is marked. */
function BudgetBars({ rows }: { rows: readonly BudgetRow[] }) {
  return (
    <dl className="numbers grid grid-cols-[4.5rem_1fr] items-center gap-y-1.5 text-sm">
      {rows.map((row) => (
        <div key={row.name} className="col-span-2 grid grid-cols-subgrid items-center">
          <dt className="text-muted">{row.name}</dt>
          <dd className="flex flex-wrap items-center justify-end gap-x-3">
            <BudgetMeter row={row} />
            <BudgetNumbers row={row} />
            <BudgetBreach row={row} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A failed step of the plan before its revision, with its calls. */
function Before({ node }: { readonly node: NodeState }) {
  const { id, error, callCount } = node;
  return (
    <li className="rounded-lg border border-line p-2.5 text-sm">
      <p dir="auto" className="readable wrap-anywhere">
        <span className="font-mono text-xs">{id}</span>
        {error && (
          <>
            {' '}
            <span className="text-danger-text">{describeError(error).title}.</span> {error.message}
          </>
        )}
      </p>
      {callCount > 0 && (
        <details className="mt-1">
          <summary className="text-xs text-muted">
            {text('inspector.step.callsBefore', { count: callCount })}
          </summary>
          <div className="mt-1.5">
            <NodeCalls node={node} />
          </div>
        </details>
      )}
    </li>
  );
}

/** For a step that a revision added: the steps it replaces, and the reason. */
function NodeOrigin({ run, node }: { readonly run: RunState; readonly node: NodeState }) {
  const revision = revisionOf(run, node.id);
  if (!revision) return null;
  const failed = revision.replaced.filter(({ id }) => revision.failed.includes(id));
  return (
    <Section title={text('inspector.step.replanned')} note={text('inspector.step.replannedNote')}>
      <ul className="space-y-2">
        {failed.map((before) => (
          <Before key={before.id} node={before} />
        ))}
      </ul>
    </Section>
  );
}
const shownCalls = 100;

/** The latest calls of a node, newest last, each with its arguments and result. */
function NodeCalls({ node }: { node: NodeState }) {
  const calls = node.calls.slice(-shownCalls);
  return (
    <>
      {calls.length < node.callCount && (
        <p className="numbers mb-1.5 text-xs text-muted">
          {text('inspector.step.newestCalls', { shown: calls.length, count: node.callCount })}
        </p>
      )}
      <div className="overflow-hidden rounded-lg border border-line">
        {calls.map((call) => (
          <CallRow key={call.callId} call={call} />
        ))}
      </div>
    </>
  );
}

/** A titled section of a node's drawer. */
export function Section({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section className="mt-5">
      <h4 className="numbers mb-1.5 flex items-baseline gap-2 text-xs font-medium text-muted">
        <span>{title}</span>
        {note !== undefined && <span className="font-normal">{note}</span>}
      </h4>
      {children}
    </section>
  );
}
