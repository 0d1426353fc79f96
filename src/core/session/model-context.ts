import type { AgentMode } from '#shared/mode';
import type { Result } from '#shared/result';
import type { CallRecord } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import type { ModelTool, ModelToolCall, ResponseOptions } from '../ports/llm';
import type { PromptText } from '../ports/prompt-text';
import type { ToolLists } from '../ports/tool-lists';
import type { OfferedTools } from '../tools/offered-tools';
import { createModelTools, type CallLine, type ModelToolsDeps, type OfferedTool } from './model-tools';
import { composePrompt, type PromptContext } from './prompt';
import type { LinePlace, ModelLine, ParameterLine } from './session-line';
import type { CallKind, StepMaterial, StepMaterialSource } from './step-material';

/**
 * The context of model calls that comes from a session's mode, focus, workflow and workspace: blocks, tools and
 * the way to call them. A `turn` may override the session's own workspace.
 */
export interface ModelContext {
  /** Begins a step of a line and adopts the workspace changes due at its boundary. Absent: no workspace. */
  readonly step?: (line: LinePlace, boundary: 'run-start' | 'step') => Result<StepMaterial>;
  /**
   * The system message's blocks for a kind of call that offers these tools; no block denies an offered tool
   * or claims another.
   */
  readonly blocks: (
    state: SessionState,
    kind: CallKind,
    offered: OfferedTools,
    turn?: number,
  ) => readonly PromptText[];
  /**
   * The blocks before every model call of a run: the pack's text for its kind, and the mode (AGN-014 §6.1).
   */
  readonly brief: (
    state: SessionState,
    kind: CallKind,
    offered: OfferedTools,
    turn?: number,
  ) => readonly PromptText[];
  /** The lists that currently restrict the tools a model may call. */
  readonly lists: (state: SessionState, turn?: number) => ToolLists;
  /** Server tools: those that the running workflow permits, or those of tools in Ask; otherwise none. */
  readonly serverTools: (state: SessionState, line: ModelLine) => Promise<readonly ModelTool[]>;
  /** The parameters that the user set for a line's model; absent: none can be set. */
  readonly parameters?: (state: SessionState, line: ParameterLine) => ResponseOptions;
  /** Maximum rounds of tool calls in one reply; higher with server tools. */
  readonly maxRounds: (state: SessionState, line: ModelLine) => number;
  /** The built-in tools, in the form offered to a model. */
  readonly builtInTools: (state: SessionState, turn?: number) => readonly ModelTool[];
  /** Makes a model's tool call through the gate, also when a user makes it by hand. */
  readonly callTool: (line: CallLine, call: ModelToolCall, signal: AbortSignal) => Promise<ModelCallOutcome>;
}

/** The outcome of a model's tool call: what the model reads, and the record of the call. */
export interface ModelCallOutcome {
  readonly result: Result<string>;
  readonly record: CallRecord;
}

/** The context of the sessions of the app. */
export interface SessionModelContext extends ModelContext {
  /** Whether a line's reply may include server tools, in which case the servers are asked to list them. */
  readonly asksServers: (line: ModelLine, state: SessionState) => boolean;
}

interface ModelContextDeps extends Omit<ModelToolsDeps, 'lists'> {
  /** The tools of a mode; default: the session's mode. */
  readonly modeTools: (state: SessionState, mode?: AgentMode) => readonly string[];
  readonly promptOf: (
    state: SessionState,
    kind: CallKind,
    offered: OfferedTools,
    turn?: number,
  ) => PromptContext;
  readonly steps: StepMaterialSource;
  readonly parameters: (state: SessionState, line: ParameterLine) => ResponseOptions;
}

/**
 * A reply that is not an answer after this many rounds of tool calls never will be; work with servers takes
 * many steps.
 */
const roundLimits = { talk: 8, work: 60 };

/** A workspace's descriptor replaces a tool's text, never its schema. */
function withOwnTexts(tools: readonly OfferedTool[], material: Result<StepMaterial>): readonly ModelTool[] {
  return tools.map(({ uri, ...tool }) => {
    const own = material.ok ? material.value.describe(uri ?? tool.name) : undefined;
    return own === undefined ? tool : { ...tool, description: own };
  });
}

/** The context of the model calls of all sessions. */
export function createModelContext(deps: ModelContextDeps): SessionModelContext {
  const { toolCalls, promptOf, steps, workflowGuard, modeTools } = deps;
  const listsOf = (state: SessionState, mode: AgentMode | undefined, turn?: number): ToolLists => {
    const material = steps.peek(state, turn);
    const catalogTools = material.ok ? material.value.tools : [];
    return workflowGuard.lists({ modeTools: modeTools(state, mode), catalogTools }, state);
  };
  const lists = (state: SessionState, turn?: number): ToolLists => listsOf(state, undefined, turn);
  const modelTools = createModelTools({
    ...deps,
    lists: (state, { mode, turn }) => listsOf(state, mode, turn),
  });
  return {
    step: steps.begin,
    blocks(state, kind, offered, turn) {
      const { workflowBoot, ...context } = promptOf(state, kind, offered, turn);
      // A planning call starts no workflow, so it does not list them.
      return composePrompt({ ...context, ...(kind !== 'plan' && workflowBoot && { workflowBoot }) });
    },
    brief(state, kind, offered, turn) {
      const { workspacePack, modeCatalog } = promptOf(state, kind, offered, turn);
      return composePrompt({ ...(workspacePack && { workspacePack }), ...(modeCatalog && { modeCatalog }) });
    },
    lists,
    parameters: deps.parameters,
    builtInTools: (state, turn) =>
      withOwnTexts(toolCalls.offered(lists(state, turn)), steps.peek(state, turn)),
    maxRounds: (state, line) => (modelTools.asksServers(line, state) ? roundLimits.work : roundLimits.talk),
    asksServers: modelTools.asksServers,
    async serverTools(state, line) {
      const offered = await modelTools.offered(line, state, lists(state, line.turn));
      return withOwnTexts(offered, steps.peek(state, line.turn));
    },
    callTool: modelTools.call,
  };
}
