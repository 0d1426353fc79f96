import type { RunMode } from '#shared/run-mode';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { Ids } from '../ports/ids';
import type { SettingsStore } from '../ports/settings-store';
import type { Conversation } from '../session/conversation';
import type { SessionLog } from '../session/session-log';
import type { ToolCalls } from '../tools/call-tool';
import { createChangeModeTool, type ChangeModeDeps } from './change-mode-tool';
import { createCommandRunner } from './command-runner';
import { createReleaseFocusTool, createSetContextTool } from './context-tools';
import type { ControlPlane } from './control-plane';
import { createInputController } from './input-controller';
import { createListModesTool } from './list-modes-tool';
import type { ModelQuestions } from './model-questions';
import { createRunCommandTool } from './run-command-tool';
import { createOpenSessionTool, createRunModeTool } from './window-tools';

export interface InputDeps {
  readonly plane: ControlPlane;
  readonly log: SessionLog;
  readonly conversation: Conversation;
  readonly questions: ModelQuestions;
  readonly toolCalls: ToolCalls;
  readonly settings: SettingsStore;
  readonly ids: Ids;
  readonly agentMode: { readonly enabled: boolean; readonly reason?: string };
  /** Why the session's mode cannot change now, or null when it can. */
  readonly blockedReason: ChangeModeDeps['blockedReason'];
}

/**
 * Connects the router to what it acts on: the controller of lines, the runner of commands, and the tools with
 * which a model reads the modes, proposes a command or another mode, and changes the focus.
 */
export function createInput(deps: InputDeps) {
  const { plane, log, conversation, questions, toolCalls, settings, ids, agentMode, blockedReason } = deps;
  const { modes, modeOf, find } = plane;
  const roles = (): readonly string[] => settings.get().roles;
  const runMode = (): RunMode => settings.get().mode;
  const commands = createCommandRunner({ plane, log, toolCalls, roles, runMode, conversation });
  const tools: readonly BuiltInTool[] = [
    createListModesTool({ modes, state: log.state, modeOf }),
    createChangeModeTool({ log, modes, questions, modeOf, blockedReason, conversation }),
    createRunCommandTool({ log, plane, questions, commands }),
    createSetContextTool({ log, find }),
    createReleaseFocusTool({ log }),
    createRunModeTool({ settings, agentMode }),
    createOpenSessionTool({ log }),
  ];
  return {
    commands,
    tools,
    lines: createInputController({ plane, log, conversation, commands, questions, ids }),
  };
}
