/** Whether Agent Mode is offered at all, and why not. */
export interface AgentMode {
  readonly enabled: boolean;
  readonly reason?: string;
}

/** `PATINA_AGENT_MODE=orchestrator|off`; anything else is named, and nothing is guessed from it. */
export function agentModeFrom(value: string | undefined): AgentMode {
  if (value === undefined || value === '' || value === 'orchestrator') return { enabled: true };
  if (value === 'off')
    return { enabled: false, reason: 'Agent Mode is switched off by PATINA_AGENT_MODE=off.' };
  return { enabled: false, reason: `PATINA_AGENT_MODE is “${value}”; it can be orchestrator or off.` };
}
