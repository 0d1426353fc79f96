import { ok } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { AgentMode, AgentModeSummary } from '#shared/mode';
import type { ModeCatalog } from '../modes/mode-catalog';
import type { BuiltInTool } from '../ports/built-in-tool';

export interface ListModesDeps {
  readonly modes: ModeCatalog;
  readonly state: (sessionId: string) => SessionState | null;
  readonly modeOf: (state: SessionState | null) => AgentMode;
}

/** Adds a mode's signals to its summary. They support a suggestion and never pick a mode (AGN-014 §9). */
const withSignals = (modes: ModeCatalog) => (summary: AgentModeSummary) => {
  const { strongSignals, weakSignals } = modes.getMode(summary.key);
  return { ...summary, strongSignals, weakSignals };
};

/**
 * `agent_list_modes {}`: lists the summary and signals of every mode, and the active mode (AGN-014 §4, §5,
 * §9).
 */
export function createListModesTool({ modes, state, modeOf }: ListModesDeps): BuiltInTool {
  return {
    name: 'agent_list_modes',
    isToolFullyExecutedOnServer: true,
    alwaysOffered: true,
    toolUsageMetadata: 'Lists the session modes in detail, and which one is active.',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    execute: (_arguments, { sessionId }) => {
      const current = modeOf(sessionId === null ? null : state(sessionId)).key;
      return Promise.resolve(
        ok(JSON.stringify({ current, modes: modes.getAllModes().map(withSignals(modes)) })),
      );
    },
  };
}
