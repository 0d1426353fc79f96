import { useMemo, useState } from 'react';
import { z } from 'zod';
import type { AppError } from '#shared/app-error';
import { appError } from '#shared/app-error';
import { JsonObject, parseJson, type Json } from '#shared/json';
import type { Plan } from '#shared/plan';
import { movedPlan, withNode, withStepParam } from '#shared/plan-edit';
import type { PlanDecision, PlanPreview } from '#shared/plan-review';
import { err, ok, type Result } from '#shared/result';
import type { ProposedPlan } from '#shared/session-state';
import { text } from '../../locales/text';
import { useCardDraft } from '../../store/card-drafts';
import { draftCards } from '../../store/drafts';
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
  const undoSteps = next.key !== '' && next.key === now.key ? past : [...past, now].slice(-maxVersions);
  return { past: undoSteps, now: next, future: [] };
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

/** Gives a recipe's parameter another value, in every step that has the old one. */
const withParam = (plan: Plan, name: string, old: unknown, value: Json): Plan => ({
  ...plan,
  nodes: plan.nodes.map((node) =>
    node.params?.[name] === old ? { ...node, params: { ...node.params, [name]: value } } : node,
  ),
});

/** A parameter as the user types it: a text stays a text, any other value is JSON. */
function typedValue(name: string, old: Json | undefined, entered: string): Result<Json, AppError> {
  if (old === undefined || typeof old === 'string') return ok(entered);
  const value = parseJson(entered);
  return value.ok ? value : err(appError('CONFIG', 'INVALID', text('inspector.review.notJson', { name })));
}

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

/** Why the typed text is not a valid value, by field; the plan keeps the earlier value. */
type InvalidValues = ReadonlyMap<string, AppError>;

/** The findings, with those of fields without a valid value; such a plan cannot run. */
function withUnread(parts: ReturnType<typeof checkedParts>, unread: InvalidValues, { nodes }: Plan) {
  const open = [...unread.values()].filter(
    ({ node }) => node === undefined || nodes.some(({ id }) => id === node),
  );
  if (open.length === 0) return parts;
  return { ...parts, preview: undefined, findings: [...open, ...parts.findings] };
}

/** A plan under edit need not be valid, so that only its shape is checked. */
const PlanShape = z.object({ nodes: z.array(z.object({ id: z.string() })) });
const EditedPlan = z
  .object({ plan: z.custom<Plan>((plan) => PlanShape.safeParse(plan).success), params: JsonObject })
  .nullable();

/** The versions of a waiting plan; the newest one is there again when the review is opened again. */
function useHistory(runId: string, proposal: ProposedPlan) {
  const { planHash, plan, params = noParams } = proposal;
  const draft = useCardDraft(draftCards.plan(runId, planHash), EditedPlan, () => null);
  const [history, setHistory] = useState<History>(() => {
    const proposed = { plan, params, key: '' };
    return draft.value
      ? { past: [proposed], now: { ...draft.value, key: '' }, future: [] }
      : { past: [], now: proposed, future: [] };
  });
  const isEdited = ({ now }: History) => now.plan !== plan || now.params !== params;
  return {
    history,
    edited: isEdited(history),
    put: (next: History): void => {
      setHistory(next);
      draft.type(isEdited(next) ? { plan: next.now.plan, params: next.now.params } : null);
    },
    dropDraft: draft.drop,
  };
}

export type PlanEdit = ReturnType<typeof usePlanEdit>;

/** The user's edits of a waiting plan, and what the check finds in the newest version. */
export function usePlanEdit(
  runId: string,
  proposal: ProposedPlan,
  check: (edit: PlanDecision) => Promise<Result<PlanPreview>>,
) {
  const { stage, planHash, params: proposedParams = noParams } = proposal;
  const { history, edited, put, dropDraft } = useHistory(runId, proposal);
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
  const [unread, setUnread] = useState<InvalidValues>(new Map());
  const change = (next: Plan, key = '', nextParams = params): void =>
    put(changed(history, { plan: next, params: nextParams, key }));
  /** Applies the text typed for a parameter, or records why it is not a valid value. */
  const type = (
    { key, name, node }: { readonly key: string; readonly name: string; readonly node?: string },
    old: Json | undefined,
    entered: string,
  ): Json | undefined => {
    const value = typedValue(name, old, entered);
    const next = new Map(unread);
    next.delete(key);
    if (!value.ok) next.set(key, { ...value.error, ...(node !== undefined && { node }) });
    setUnread(next);
    return value.ok ? value.value : undefined;
  };
  const walk = (step: (history: History) => History): void => {
    setUnread(new Map());
    put(step(history));
  };
  return {
    plan,
    params,
    decision,
    edited,
    dropDraft,
    ...withUnread(checkedParts(checked, decision, proposal), unread, plan),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: () => walk(undone),
    redo: () => walk(redone),
    editNode: (id: string, field: 'title' | 'code' | 'prompt', value: string): void =>
      change(withNode(plan, id, { [field]: value }), `${id}.${field}`),
    editAnswer: (answer: string): void => change({ ...plan, answer }, 'answer'),
    editParam: (name: string, entered: string): void => {
      const key = `params.${name}`;
      const value = type({ key, name }, params[name], entered);
      if (value === undefined) return;
      change(withParam(plan, name, params[name], value), key, { ...params, [name]: value });
    },
    editStepParam: (id: string, name: string, entered: string): void => {
      const key = `${id}.params.${name}`;
      const old = plan.nodes.find((node) => node.id === id)?.params?.[name];
      const value = type({ key, name, node: id }, old, entered);
      if (value !== undefined) change(withStepParam(plan, id, name, value), key);
    },
    remove: (ids: ReadonlySet<string>): void =>
      change({ ...plan, nodes: plan.nodes.filter(({ id }) => !ids.has(id)) }),
    move: (id: string, by: -1 | 1): void => {
      const next = movedPlan(plan, id, by);
      if (next) change(next);
    },
  };
}
