import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { ModelTool } from '../ports/llm';
import type { AskForCall, AskToolCaller } from '../tools/ask-tool-caller';
import type { RecordedApprovals } from '../tools/gate';
import { serverToolNames } from '../tools/server-tool-names';
import type { WorkflowToolCaller } from '../tools/workflow-tool-caller';
import type { ModelLine } from './model-host';
import type { SessionLog } from './session-log';
import type { ToolLists } from '../ports/tool-lists';

/** A tool as offered to a model; `uri` is its own name if that differs. */
export type OfferedTool = ModelTool & { readonly uri?: string };

export interface ServerCallRequest {
  readonly line: ModelLine;
  readonly state: SessionState;
  readonly tool: string;
  readonly args: JsonObject;
  readonly lists: ToolLists;
  /** In a workflow: the approvals recorded before the call. */
  readonly recorded?: RecordedApprovals;
}

/** Calls server tools for a model in a conversation: the running workflow's, or those of tools in Ask. */
export interface ServerToolCaller {
  /** Whether the line is answered with tools in Ask. */
  wanted(line: ModelLine, state: SessionState): boolean;
  offered(line: ModelLine, state: SessionState, lists: ToolLists): Promise<readonly OfferedTool[]>;
  /** Resolves the name a model uses to the tool's own name; undefined: no tool of that name was offered. */
  find(
    line: ModelLine,
    state: SessionState,
    called: { readonly name: string; readonly lists: ToolLists },
  ): Promise<string | undefined>;
  call(request: ServerCallRequest, signal: AbortSignal): Promise<Result<string>>;
}

export interface ServerToolCallerDeps {
  readonly log: Pick<SessionLog, 'append'>;
  readonly steps: WorkflowToolCaller;
  readonly askToolCaller: AskToolCaller;
  readonly toolsInAsk: () => boolean;
  /** Asks the user to approve a call. */
  readonly approve: (line: ModelLine, state: SessionState, signal: AbortSignal) => AskForCall;
}

const noFolder = (tool: string) =>
  appError('HOST', 'STATE', 'This session has no project folder for the tool to work in.', { tool });

/** Resolves a permitted server tool by its offered name or by its own name, which the instructions use. */
function permittedTool(permitted: readonly string[], name: string): string | undefined {
  if (name.startsWith('mcp://')) return permitted.find((tool) => tool === name);
  return serverToolNames(permitted).get(name);
}

export function createServerToolCaller(deps: ServerToolCallerDeps): ServerToolCaller {
  const { log, steps, askToolCaller, toolsInAsk, approve } = deps;
  const wanted: ServerToolCaller['wanted'] = ({ tools = toolsInAsk() }, { workflow, project }) =>
    tools && workflow === null && project !== null;
  return {
    wanted,
    async offered(line, state, lists) {
      const { workflow, project } = state;
      if (project === null) return [];
      if (wanted(line, state)) return askToolCaller.offered(project, lists);
      return workflow?.inputs && !workflow.halted ? steps.offered(workflow, project, lists) : [];
    },
    async find(line, state, { name, lists }) {
      if (state.workflow) return permittedTool(state.workflow.definition.PermittedTools, name);
      if (!wanted(line, state) || state.project === null) return undefined;
      const offered = await askToolCaller.offered(state.project, lists);
      return offered.find((tool) => tool.name === name)?.uri;
    },
    async call({ line, state, tool, args, lists, recorded }, signal) {
      const { workflow, project } = state;
      if (project === null) return err(noFolder(tool));
      const made = {
        turn: line.turn,
        tool,
        args,
        lists,
        record: (facts: Parameters<SessionLog['append']>[1]) => log.append(line.sessionId, facts).ok,
      };
      if (workflow && recorded) return steps.call(project, { ...made, run: workflow, recorded }, signal);
      return askToolCaller.call(project, { ...made, approve: approve(line, state, signal) }, signal);
    },
  };
}
