import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WireName, type ModelRef } from '#shared/model';
import { createModelClient, type ModelClientDeps } from '../main/adapters/llm/model-client';
import type { LlmLimits } from '../main/adapters/llm/limits';
import { createOfflineProvider } from '../main/adapters/llm/offline-provider';
import { createFileSecrets } from '../main/adapters/secrets/file-secrets';
import type { Clock } from '../core/ports/clock';
import type { ModelClient, ModelEvent } from '../core/ports/llm';
import { startScriptedModel, type Script } from './scripted-model';

interface Timer {
  readonly ms: number;
  readonly call: () => void;
}

/** A clock whose timers fire when a test says so. */
export interface HandClock extends Clock {
  /** Fires the next timer of exactly `ms`, and waits until there is one. */
  readonly ring: (ms: number) => Promise<void>;
  /** Lets the time of day pass without any timer, as a sleeping computer does. */
  readonly sleep: (ms: number) => void;
  /** The number of timers that are set and not cancelled. */
  readonly pending: () => number;
}

export function createHandClock(now = 1_750_000_000_000): HandClock {
  const timers: Timer[] = [];
  const waiting: { readonly ms: number; readonly resolve: (timer: Timer) => void }[] = [];
  let time = now;
  const off = (timer: Timer): void => {
    const at = timers.indexOf(timer);
    if (at >= 0) timers.splice(at, 1);
  };
  return {
    now: () => time,
    sleep: (ms) => void (time += ms),
    elapsed: () => 0,
    after(ms, call) {
      const timer = { ms, call };
      timers.push(timer);
      const at = waiting.findIndex((wait) => wait.ms === ms);
      if (at >= 0) waiting.splice(at, 1)[0]?.resolve(timer);
      return () => off(timer);
    },
    async ring(ms) {
      const set = timers.find((timer) => timer.ms === ms);
      const timer = set ?? (await new Promise<Timer>((resolve) => waiting.push({ ms, resolve })));
      off(timer);
      timer.call();
    },
    pending: () => timers.length,
  };
}

/** A model client in its own folder, with a manual clock and, by default, nothing found on loopback. */
export interface ClientHarness {
  readonly client: ModelClient;
  readonly home: string;
  readonly clock: HandClock;
  readonly remove: () => void;
}

export function createClientHarness(deps: Partial<ModelClientDeps> = {}): ClientHarness {
  const home = deps.home ?? mkdtempSync(path.join(tmpdir(), 'patina-models-'));
  const clock = createHandClock();
  const offline = createOfflineProvider({
    matchRecipes: () => [],
    facts: () => ({ recipes: [], agentMode: { enabled: true } }),
  });
  const secrets = createFileSecrets({ home });
  const client = createModelClient({ home, env: {}, secrets, clock, offline, localServers: [], ...deps });
  return { client, home, clock, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** The protocols, for tests that hold for each. */
export const wireNames = WireName.options;

export interface ScriptedHarnessOptions {
  /** The protocol that the client is told to speak. */
  readonly wire?: WireName;
  readonly limits?: Partial<LlmLimits>;
  readonly key?: string;
}

/**
 * A model client and a scripted model. With `wire` the model is the provider `scripted` of `providers.json`,
 * otherwise the one of the environment.
 */
export async function startScriptedHarness(script: Script, options: ScriptedHarnessOptions = {}) {
  const model = await startScriptedModel(script);
  const { wire, key = 'sk-scripted', limits = {} } = options;
  const env = { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: key, PATINA_MODEL: 'large' };
  const harness = createClientHarness({ env: wire ? {} : env, limits });
  if (wire) configureScripted(harness.home, { wire, baseUrl: model.baseUrl, key });
  const close = async (): Promise<void> => {
    harness.remove();
    await model.close();
  };
  const ref: ModelRef = { providerId: wire ? 'scripted' : 'environment', model: 'large' };
  return { ...harness, model, ref, close };
}

/** Writes the provider `scripted` of a home, with its key. */
export function configureScripted(
  home: string,
  { wire, baseUrl, key }: { readonly wire: WireName; readonly baseUrl: string; readonly key: string },
): void {
  createFileSecrets({ home }).set('provider.scripted', key, { unprotected: true });
  const provider = { id: 'scripted', name: 'Scripted', baseUrl, wire, secrets_ref: 'provider.scripted' };
  writeFileSync(path.join(home, 'providers.json'), JSON.stringify({ providers: [provider] }));
}

/** Every event of a stream. */
export async function eventsOf(stream: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The text of a stream. */
export function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}
