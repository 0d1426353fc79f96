import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { RunMode } from '#shared/run-mode';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { SettingsStore } from '../ports/settings-store';
import type { SessionLog } from '../session/session-log';

/** The schema of a single string argument. */
const oneText = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
  additionalProperties: false,
});

const modeNames: Readonly<Record<RunMode, string>> = { ask: 'Ask', agent: 'Agent Mode' };

/** `set_run_mode`: chooses how the next lines are answered. */
export function createRunModeTool(deps: {
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
export function createOpenSessionTool({ log }: { readonly log: SessionLog }): BuiltInTool {
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
