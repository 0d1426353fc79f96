import { useMemo, useState } from 'react';
import { z } from 'zod';
import type { AppError } from '#shared/app-error';
import { appError } from '#shared/app-error';
import { JsonObject, parseJson, type Json } from '#shared/json';
import type { Plan } from '#shared/plan';
import { movedPlan, withNode, withStepParam } from '#shared/plan-edit';
import type { PlanDecision, PlanPreview } from '#shared/plan-review';
import { ok, type Result } from '#shared/result';
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
function typedValue(old: Json | undefined, entered: string): Result<Json, string> {
  return old === undefined || typeof old === 'string' ? ok(entered) : parseJson(entered);
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

/** A text typed for a parameter that is not a valid value; the plan keeps the earlier value. */
type InvalidText = z.infer<typeof InvalidText>;
const InvalidText = z.object({
  name: z.string(),
  /** Absent for a parameter of the recipe. */
  step: z.string().optional(),
  entered: z.string(),
});

/** The findings, with those of fields without a valid value; such a plan cannot run. */
function withInvalid(
  parts: ReturnType<typeof checkedParts>,
  invalid: readonly InvalidText[],
  { nodes }: Plan,
) {
  const open = invalid.filter(({ step }) => step === undefined || nodes.some(({ id }) => id === step));
  if (open.length === 0) return parts;
  const errors = open.map(({ name, step }): AppError => {
    const error = appError('CONFIG', 'INVALID', text('inspector.review.notJson', { name }));
    return { ...error, ...(step !== undefined && { node: step }) };
  });
  return { ...parts, preview: undefined, findings: [...errors, ...parts.findings] };
}

/** A plan under edit need not be valid, so that only its shape is checked. */
const PlanShape = z.object({ nodes: z.array(z.object({ id: z.string() })) });
const EditedPlan = z
  .object({
    plan: z.custom<Plan>((plan) => PlanShape.safeParse(plan).success),
    params: JsonObject,
    invalid: z.array(InvalidText),
  })
  .nullable();

interface Edits {
  readonly history: History;
  readonly invalid: readonly InvalidText[];
}

/** The edits of a waiting plan; the newest version is there again when the review is opened again. */
function useEdits(runId: string, proposal: ProposedPlan) {
  const { planHash, plan, params = noParams } = proposal;
  const draft = useCardDraft(draftCards.plan(runId, planHash), EditedPlan, () => null);
  const [edits, setEdits] = useState<Edits>(() => {
    const proposed = { plan, params, key: '' };
    if (!draft.value) return { history: { past: [], now: proposed, future: [] }, invalid: [] };
    const { invalid, ...now } = draft.value;
    return { history: { past: [proposed], now: { ...now, key: '' }, future: [] }, invalid };
  });
  const isEdited = ({ now }: History) => now.plan !== plan || now.params !== params;
  return {
    ...edits,
    edited: isEdited(edits.history),
    put: (next: Edits): void => {
      setEdits(next);
      const { history, invalid } = next;
      const { now } = history;
      const hasEdits = isEdited(history) || invalid.length > 0;
      draft.type(hasEdits ? { plan: now.plan, params: now.params, invalid: [...invalid] } : null);
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
  const { history, invalid, edited, put, dropDraft } = useEdits(runId, proposal);
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
  const change = (next: Plan, key = '', nextParams = params, stillInvalid = invalid): void =>
    put({ history: changed(history, { plan: next, params: nextParams, key }), invalid: stillInvalid });
  const invalidOf = (name: string, step?: string): InvalidText | undefined =>
    invalid.find((one) => one.name === name && one.step === step);
  /** Reads the text typed for a parameter; one that is no valid value stays beside the plan. */
  const enter = (
    input: InvalidText,
    old: Json | undefined,
    apply: (value: Json, stillInvalid: readonly InvalidText[]) => void,
  ): void => {
    const value = typedValue(old, input.entered);
    const before = invalidOf(input.name, input.step);
    const others = invalid.filter((one) => one !== before);
    if (value.ok) apply(value.value, others);
    else put({ history, invalid: [...others, input] });
  };
  const walk = (step: (history: History) => History): void => put({ history: step(history), invalid: [] });
  return {
    plan,
    params,
    decision,
    edited,
    dropDraft,
    /** The text of a parameter that is no valid value yet; `step` is absent for a parameter of the recipe. */
    invalidText: (name: string, step?: string): string | undefined => invalidOf(name, step)?.entered,
    ...withInvalid(checkedParts(checked, decision, proposal), invalid, plan),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: () => walk(undone),
    redo: () => walk(redone),
    editNode: (id: string, field: 'title' | 'code' | 'prompt', value: string): void =>
      change(withNode(plan, id, { [field]: value }), `${id}.${field}`),
    editAnswer: (answer: string): void => change({ ...plan, answer }, 'answer'),
    editParam: (name: string, entered: string): void =>
      enter({ name, entered }, params[name], (value, stillInvalid) => {
        const next = withParam(plan, name, params[name], value);
        change(next, `params.${name}`, { ...params, [name]: value }, stillInvalid);
      }),
    editStepParam: (step: string, name: string, entered: string): void => {
      const old = plan.nodes.find(({ id }) => id === step)?.params?.[name];
      enter({ name, step, entered }, old, (value, stillInvalid) =>
        change(withStepParam(plan, step, name, value), `${step}.params.${name}`, params, stillInvalid),
      );
    },
    remove: (ids: ReadonlySet<string>): void =>
      change({ ...plan, nodes: plan.nodes.filter(({ id }) => !ids.has(id)) }),
    move: (id: string, by: -1 | 1): void => {
      const next = movedPlan(plan, id, by);
      if (next) change(next);
    },
  };
}
