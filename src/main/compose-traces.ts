import { createRunSpans } from './adapters/telemetry/run-spans';
import { createAgent, type AgentDeps } from './agent/create-agent';
import { tracedAgent } from './agent/traced-agent';
import type { Foundation } from './foundation';
import { loadTokenCount } from './session/token-count';

/** One run of this many that succeed is traced in full, unless `PATINA_TRACE_ONE_IN` says otherwise. */
const usualOneIn = 10;

function oneInFrom(value: string | undefined): number {
  const wanted = Number(value);
  return value !== undefined && Number.isInteger(wanted) && wanted > 0 ? wanted : usualOneIn;
}

/** Values of the environment that are secrets by their names. */
const secretsOf = (env: Foundation['host']['env']): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && /key|token|secret|passw|credential/i.test(name) ? [value] : [],
  );

/** The agent, each run of which is traced; the SDK is loaded with the agent runtime, which nothing loads before Agent Mode is first used. */
export function composeTraces(
  { host, clock, seenSecrets }: Pick<Foundation, 'host' | 'clock' | 'seenSecrets'>,
  deps: AgentDeps,
) {
  const { home, env, version } = host;
  const traces = createRunSpans({ home, env, version });
  const secrets = (): readonly string[] => [...secretsOf(env), ...seenSecrets()];
  const oneIn = oneInFrom(env['PATINA_TRACE_ONE_IN']);
  return {
    agent: tracedAgent(createAgent({ countTokens: loadTokenCount, ...deps }), {
      clock,
      traces,
      secrets,
      oneIn,
    }),
    close: traces.close,
  };
}
