import type { ModelRef } from '#shared/model';
import { RunMode } from '#shared/run-mode';
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
import { createSetModelTool } from './set-model-tool';
import { createSetSettingTool } from './set-setting-tool';
import { createWindowActionTool } from './action-commands';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/** The schema of a single string argument. */
const oneText = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
  additionalProperties: false,
});

const modeNames: Readonly<Record<RunMode, string>> = { ask: 'Ask', agent: 'Agent Mode' };

/** `set_run_mode`: chooses how the next lines are answered. */
function createRunModeTool(deps: {
  readonly settings: SettingsStore;
  readonly agentMode: { readonly enabled: boolean; readonly reason?: string };
}): BuiltInTool {
  const set = (runMode: string): Result<string> => {
    const known = RunMode.safeParse(runMode);
    if (!known.success) return err(appError('HOST', 'INVALID_INPUT', `There is no run mode "${runMode}".`));
    if (known.data === 'agent' && !deps.agentMode.enabled) {
      return err(appError('HOST', 'STATE', deps.agentMode.reason ?? 'Agent Mode is switched off.'));
    }
    const saved = deps.settings.patch({ mode: known.data });
    return saved.ok ? ok(JSON.stringify({ success: true, summary: `Now: ${modeNames[known.data]}` })) : saved;
  };
  return {
    name: 'set_run_mode',
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    toolUsageMetadata: 'Chooses between Ask and Agent Mode.',
    schema: oneText('runMode'),
    execute: (argumentsJson) =>
      Promise.resolve(set((JSON.parse(argumentsJson) as { readonly runMode: string }).runMode)),
  };
}

/** `open_session`: returns the session to open; the caller that shows sessions opens it. */
function createOpenSessionTool({ log }: { readonly log: SessionLog }): BuiltInTool {
  return {
    name: 'open_session',
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    toolUsageMetadata: 'Opens another session.',
    schema: oneText('id'),
    execute(argumentsJson) {
      const { id } = JSON.parse(argumentsJson) as { readonly id: string };
      const found = log.peek(id);
      if (!found.ok) return Promise.resolve(found);
      const summary = `Opened: ${found.value.title || 'a session without a name'}`;
      return Promise.resolve(ok(JSON.stringify({ success: true, summary, opened: id })));
    },
  };
}

export interface InputDeps {
  readonly plane: ControlPlane;
  readonly log: SessionLog;
  readonly conversation: Conversation;
  readonly questions: ModelQuestions;
  readonly toolCalls: ToolCalls;
  readonly settings: SettingsStore;
  readonly ids: Ids;
  readonly modelById: (id: string) => ModelRef | undefined;
  readonly agentMode: { readonly enabled: boolean; readonly reason?: string };
  /** Why the session's mode cannot change now, or null when it can. */
  readonly blockedReason: ChangeModeDeps['blockedReason'];
}

/**
 * Connects the router to what it acts on: the controller of lines, the runner of commands, and the tools with
 * which a model reads the modes, proposes a command or another mode, and changes the focus.
 */
export function createInput(deps: InputDeps) {
  const {
    plane,
    log,
    conversation,
    questions,
    toolCalls,
    settings,
    ids,
    agentMode,
    blockedReason,
    modelById,
  } = deps;
  const { modes, modeOf, find } = plane;
  const roles = (): readonly string[] => settings.get().roles;
  const commands = createCommandRunner({
    plane,
    log,
    toolCalls,
    roles,
    settings: settings.get,
    conversation,
  });
  const tools: readonly BuiltInTool[] = [
    createListModesTool({ modes, state: log.state, modeOf }),
    createChangeModeTool({ log, modes, questions, modeOf, blockedReason, conversation }),
    createRunCommandTool({ log, plane, questions, commands }),
    createSetContextTool({ log, find }),
    createReleaseFocusTool({ log }),
    createRunModeTool({ settings, agentMode }),
    createOpenSessionTool({ log }),
    createWindowActionTool(),
    createSetSettingTool({ settings }),
    createSetModelTool({ settings, modelById }),
  ];
  return {
    commands,
    tools,
    lines: createInputController({ plane, log, conversation, commands, questions, ids }),
  };
}
