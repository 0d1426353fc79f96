import { useCallback, useMemo, useState } from 'react';
import type { JsonObject } from '#shared/json';
import type { Plan, PlanNode } from '#shared/plan';
import type { PlanDecision, PlanPreview } from '#shared/plan-review';
import type { Result } from '#shared/result';
import type { ProposedPlan } from '#shared/session-state';
import { useLatest, type Latest } from '../../ui/use-latest';

/** A version of the plan; `key` names the field that led to it, so that typing makes one version. */
interface Version {
  readonly plan: Plan;
  readonly params: JsonObject;
  readonly key: string;
}

interface History {
  readonly past: readonly Version[];
  readonly now: Version;
  readonly future: readonly Version[];
}

const maxVersions = 200;
const noParams: JsonObject = {};

function changed({ past, now }: History, next: Version): History {
  // Further typing in one field replaces the newest version.
  const kept = next.key !== '' && next.key === now.key ? past : [...past, now].slice(-maxVersions);
  return { past: kept, now: next, future: [] };
}

function undone(history: History): History {
  const before = history.past.at(-1);
  if (!before) return history;
  return { past: history.past.slice(0, -1), now: before, future: [history.now, ...history.future] };
}

function redone(history: History): History {
  const [next, ...future] = history.future;
  return next ? { past: [...history.past, history.now], now: next, future } : history;
}

/** A step and the steps that need it, directly or through others, in plan order. */
export function withDependants({ nodes }: Plan, id: string): readonly PlanNode[] {
  const reached = new Set([id]);
  for (let grew = true; grew;) {
    const next = nodes.filter((node) => !reached.has(node.id) && node.deps.some((dep) => reached.has(dep)));
    for (const node of next) reached.add(node.id);
    grew = next.length > 0;
  }
  return nodes.filter((node) => reached.has(node.id));
}

/** Swaps a step with its neighbour; null when there is none or one of the two needs the other. */
export function movedPlan(plan: Plan, id: string, by: -1 | 1): Plan | null {
  const at = plan.nodes.findIndex((node) => node.id === id);
  const [one, other] = [plan.nodes[at], plan.nodes[at + by]];
  if (!one || !other || one.deps.includes(other.id) || other.deps.includes(one.id)) return null;
  const nodes = plan.nodes.map((node) => (node === one ? other : node === other ? one : node));
  return { ...plan, nodes };
}

const withNode = (plan: Plan, id: string, patch: Partial<PlanNode>): Plan => ({
  ...plan,
  nodes: plan.nodes.map((node) => (node.id === id ? { ...node, ...patch } : node)),
});

/** Gives a recipe's parameter another value, in every step that has the old one. */
const withParam = (plan: Plan, name: string, old: unknown, value: string): Plan => ({
  ...plan,
  nodes: plan.nodes.map((node) =>
    node.params?.[name] === old ? { ...node, params: { ...node.params, [name]: value } } : node,
  ),
});

/** What the newest check found; `preview` is absent while the newest version is being checked. */
function checkedParts(
  checked: Latest<PlanDecision, Result<PlanPreview>> | null,
  decision: PlanDecision,
  { writes = {}, cost }: ProposedPlan,
) {
  if (!checked) return { preview: undefined, findings: [], writes, cost };
  const { input, output } = checked;
  if (!output.ok) return { preview: undefined, findings: [output.error], writes, cost };
  const { value } = output;
  const preview = input === decision ? value : undefined;
  return {
    preview,
    findings: value.findings,
    writes: value.writes ?? writes,
    // Without a valid plan, the cost is that of the proposed one.
    cost: value.plan ? value.cost : cost,
  };
}

export type PlanEdit = ReturnType<typeof usePlanEdit>;

/** The user's edits of a waiting plan, and what the check finds in the newest version. */
export function usePlanEdit(
  proposal: ProposedPlan,
  check: (edit: PlanDecision) => Promise<Result<PlanPreview>>,
) {
  const { stage, planHash, params: proposedParams = noParams } = proposal;
  const [history, setHistory] = useState<History>(() => ({
    past: [],
    now: { plan: proposal.plan, params: proposedParams, key: '' },
    future: [],
  }));
  const { plan, params } = history.now;
  const decision = useMemo(
    (): PlanDecision => ({
      stage,
      planHash,
      ...(plan !== proposal.plan && { plan }),
      ...(params !== proposedParams && { params }),
    }),
    [stage, planHash, plan, params, proposal.plan, proposedParams],
  );
  const checked = useLatest(decision, check);
  const change = useCallback((next: Plan, key = '', nextParams?: JsonObject): void => {
    setHistory((old) => changed(old, { plan: next, params: nextParams ?? old.now.params, key }));
  }, []);
  return {
    plan,
    params,
    decision,
    edited: plan !== proposal.plan || params !== proposedParams,
    ...checkedParts(checked, decision, proposal),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: () => setHistory(undone),
    redo: () => setHistory(redone),
    editNode: (id: string, field: 'title' | 'code' | 'prompt', value: string): void =>
      change(withNode(plan, id, { [field]: value }), `${id}.${field}`),
    editAnswer: (answer: string): void => change({ ...plan, answer }, 'answer'),
    editParam: (name: string, value: string): void =>
      change(withParam(plan, name, params[name], value), `params.${name}`, { ...params, [name]: value }),
    remove: (ids: ReadonlySet<string>): void =>
      change({ ...plan, nodes: plan.nodes.filter(({ id }) => !ids.has(id)) }),
    move: (id: string, by: -1 | 1): void => {
      const next = movedPlan(plan, id, by);
      if (next) change(next);
    },
  };
}
