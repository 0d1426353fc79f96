/** Whether Agent Mode is available, and the reason when it is not. */
export interface AgentMode {
  readonly enabled: boolean;
  readonly reason?: string;
}

/** `PATINA_AGENT_MODE=orchestrator|off`; any other value is reported and never guessed. */
export function agentModeFrom(value: string | undefined): AgentMode {
  if (value === undefined || value === '' || value === 'orchestrator') return { enabled: true };
  if (value === 'off')
    return { enabled: false, reason: 'Agent Mode is switched off by PATINA_AGENT_MODE=off.' };
  return { enabled: false, reason: `PATINA_AGENT_MODE is “${value}”; it can be orchestrator or off.` };
}
