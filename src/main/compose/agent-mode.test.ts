import { expect, it } from 'vitest';
import { agentModeFrom } from './agent-mode';

it.each([undefined, '', 'orchestrator'])('is on for %j', (value) => {
  expect(agentModeFrom(value)).toEqual({ enabled: true });
});

it.each(['off', 'OFF', 'false', '0', 'on'])('is off for %j, and says why', (value) => {
  const mode = agentModeFrom(value);
  expect(mode.enabled).toBe(false);
  expect(mode.reason).toContain('PATINA_AGENT_MODE');
  expect(mode.reason).toContain(value);
});
