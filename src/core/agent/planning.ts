import type { Budgets } from '#shared/budgets';
import type { Capabilities } from '#shared/capabilities';
import type { FactOf } from '#shared/session-event';
import type { LabelledArtifactStore } from '../ports/sandbox';
import type { ModelClient } from '../ports/llm';
import type { ToolCalls } from '../tools/call-tool';
import type { AgentRequest } from '../ports/agent';
import type { EarlierPlans } from './earlier-plans';
import type { ObservedTypes } from './observed-types';
import type { Recipes } from './recipes';
import type { RunLifecycle, StageCancel } from './run-lifecycle';
import type { RunMeter } from './run-meter';

type Unplaced<F> = F extends unknown ? Omit<F, 'turn' | 'runId'> : never;
/** A fact of the planning conversation, without the run that it belongs to. */
export type PlanningFact = Unplaced<
  FactOf<'planning-started' | 'model-step-ended' | 'planning-answered' | 'line-steered'>
>;

/** The context for planning a goal. */
export interface Planning {
  readonly request: AgentRequest;
  readonly recipes: Recipes;
  readonly models: ModelClient;
  readonly toolCalls: Pick<ToolCalls, 'list'>;
  readonly budgets: Budgets;
  readonly capabilities: Capabilities;
  /** The observed result types of tools without an output schema. */
  readonly observed: ObservedTypes;
  readonly earlier: EarlierPlans;
  readonly meter: RunMeter;
  readonly signal: AbortSignal;
  readonly life: RunLifecycle;
  readonly stageCancel: StageCancel;
  readonly artifacts: Pick<LabelledArtifactStore, 'get'>;
  /** Records in one commit what is said in the planning conversation, so that an interrupted run continues it. */
  readonly note?: (...facts: readonly PlanningFact[]) => void;
}
