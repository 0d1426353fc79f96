import { appError, type AppError } from '#shared/app-error';
import { applyEvent } from '#shared/apply-event';
import type { HelpPage } from '#shared/help-page';
import {
  ipcCalls,
  type AppInfo,
  type Bridge,
  type IpcHandlers,
  type IpcInput,
  type IpcName,
  type Push,
} from '#shared/ipc';
import type { ProviderModels } from '#shared/model';
import type { EditableProvider, ProviderOffer } from '#shared/provider-row';
import { err, ok } from '#shared/result';
import { eventSchemaVersion, type SessionEvent, type SessionFact } from '#shared/session-event';
import { liveSummary } from '#shared/attention';
import { emptySession, type SessionState } from '#shared/session-state';
import { Settings } from '#shared/settings';
import { noCost, nothingSpent } from '#shared/spent';
import type { UsageReport } from '#shared/usage-report';
import { seedActions } from './seed-actions';
import type { AuthoringPanel } from '../core/workflows/authoring/authoring-panel';
import { createPushFeed } from './push-feed';
import { authoringHandlers } from './window-bridge-authoring';
import { controlPlaneHandlers, type ControlPlaneOptions } from './window-bridge-control-plane';
import { sessionHandlers } from './window-bridge-sessions';
import { pageHandlers } from './window-pages';

/** The initial state of a double of main. */
export interface WindowBridgeOptions {
  readonly info?: Partial<AppInfo>;
  readonly settings?: Partial<Settings>;
  readonly models?: readonly ProviderModels[];
  readonly offers?: readonly ProviderOffer[];
  readonly editable?: readonly EditableProvider[];
  readonly usage?: UsageReport;
  /** The initial time; every event is one second later. */
  readonly startAt?: number;
  /** Main's reaction to a recorded line: usually records a reply. */
  /** The number of damaged events that a repair restores; 1 if absent. */
  readonly restorable?: number;
  readonly onSend?: (sent: IpcInput<'message-send'> & { readonly turn: number }) => void;
  readonly controlPlane?: ControlPlaneOptions;
  readonly authoring?: AuthoringPanel;
  readonly helpPages?: readonly HelpPage[];
  /** Further calls that a test answers itself. */
  readonly handlers?: Partial<IpcHandlers>;
}

/**
 * Main as the window sees it, in memory: the same calls, validation and pushes. It handles only the calls
 * that tests need.
 */
export interface WindowBridge {
  readonly bridge: Bridge;
  /** Every call the window made, oldest first. */
  readonly calls: readonly { readonly name: IpcName; readonly input: unknown }[];
  /** Adds a session with these facts already recorded; pushes nothing. */
  readonly addSession: (id: string, facts: readonly SessionFact[]) => void;
  /** Records facts and pushes their events. */
  readonly record: (sessionId: string, facts: readonly SessionFact[]) => void;
  /** Records facts whose push never arrives. */
  readonly recordWithoutPush: (sessionId: string, facts: readonly SessionFact[]) => void;
  readonly push: (push: Push) => void;
  /** The next call of this name fails. */
  readonly failNext: (name: IpcName, error: AppError) => void;
  /** Resolves when the window has acknowledged everything pushed so far. */
  readonly drained: () => Promise<void>;
  readonly session: (id: string) => SessionState;
}

/** Session logs in memory: facts become events, and the same `applyEvent` folds them. */
function createLogs(startAt: number) {
  const states = new Map<string, SessionState>();
  let clock = startAt;
  const append = (sessionId: string, facts: readonly SessionFact[]): readonly SessionEvent[] => {
    const events: SessionEvent[] = [];
    for (const fact of facts) {
      const state = states.get(sessionId) ?? emptySession(sessionId);
      clock += 1_000;
      const event: SessionEvent = {
        ...fact,
        sessionId,
        seq: state.seq + 1,
        at: clock,
        v: eventSchemaVersion,
      };
      states.set(sessionId, applyEvent(state, event));
      events.push(event);
    }
    return events;
  };
  return { states, append };
}

function appHandlers(options: WindowBridgeOptions) {
  const info: AppInfo = {
    version: '0.0.0',
    platform: 'test',
    agentMode: { enabled: true },
    keychain: { available: true },
    notices: [],
    projectSuggestion: null,
    own: { designRecords: true, workspace: true },
    actions: seedActions,
    sentenceEncoder: false,
    ...options.info,
  };
  let settings = Settings.parse(options.settings ?? {});
  let models = options.models ?? [];
  return {
    'app-info': () => ok(info),
    'settings-get': () => ok(settings),
    'settings-set': (patch) => {
      settings = Settings.parse({ ...settings, ...patch });
      return ok(settings);
    },
    'model-list': () => ok(models),
    'usage-report': ({ by, from = '2026-01-01', to = '2026-01-31' }) =>
      ok(
        options.usage ?? {
          by,
          from,
          to,
          lines: [],
          total: { ...nothingSpent, cost: noCost },
          month: { month: '2026-01', cost: noCost, limit: null },
        },
      ),
    'provider-save': ({ provider, key }) => {
      const { id, name, baseUrl, model } = provider;
      const saved: ProviderModels = {
        providerId: id,
        name,
        baseUrl,
        source: 'configured',
        hasKey: key !== undefined,
        models: model === undefined ? [] : [model],
      };
      models = [...models.filter(({ providerId }) => providerId !== id), saved];
      return ok(null);
    },
    'provider-offers': () => ok(options.offers ?? []),
    'provider-editable': () => ok(options.editable ?? []),
    'provider-edit': ({ id, edit, key }) => {
      const saved: ProviderModels = {
        providerId: id,
        name: edit.name,
        baseUrl: edit.baseUrl,
        models: edit.models,
        source: 'configured',
        hasKey: key !== undefined || edit.keyVariable !== null,
      };
      models = [...models.filter(({ providerId }) => providerId !== id), saved];
      return ok(null);
    },
    'provider-remove': ({ id }) => {
      models = models.filter(({ providerId }) => providerId !== id);
      return ok(null);
    },
    'local-models': () => ok({ models: [], offer: null }),
    'provider-test': () => ok({ models: ['small', 'large'] }),
    'prompt-preview': () => ok({ blocks: [], tools: [], total: 0 }),
    'project-choose': () => ok(null),
    'link-open': () => ok({ opened: false }),
    'help-pages': () => ok(options.helpPages ?? []),
    'clipboard-write': () => ok(null),
    'window-open': () => ok(null),
    'window-main': () => ok(null),
    'notice-dismiss': () => ok(null),
    'app-quit': () => ok(null),
    'app-restart': () => ok(null),
  } satisfies Partial<IpcHandlers>;
}

/** Builds the double; see `WindowBridge`. */
export function createWindowBridge(options: WindowBridgeOptions = {}): WindowBridge {
  const { states, append } = createLogs(options.startAt ?? Date.UTC(2026, 0, 5, 9));
  const pushes = createPushFeed();
  const calls: { name: IpcName; input: unknown }[] = [];
  const failures = new Map<IpcName, AppError>();

  function record(sessionId: string, facts: readonly SessionFact[]): void {
    const events = append(sessionId, facts);
    const state = states.get(sessionId);
    pushes.push({ type: 'events', sessionId, events });
    if (state) pushes.push({ type: 'session-changed', summary: liveSummary(state) });
  }
  function remove(sessionId: string): void {
    states.delete(sessionId);
    pushes.push({ type: 'session-removed', sessionId });
  }
  const handlers: Partial<IpcHandlers> = {
    ...sessionHandlers({ options, states, record, remove }),
    ...controlPlaneHandlers({ options: options.controlPlane ?? {}, states, record }),
    ...pageHandlers,
    ...appHandlers(options),
    ...authoringHandlers(options.authoring),
    'text-save': ({ name }) => ok(`/home/ada/${name}`),
    'instruction-files': () => ok(null),
    ...options.handlers,
  };
  const invoke: Bridge['invoke'] = async (name, input) => {
    calls.push({ name, input });
    const parsed = ipcCalls[name].input.safeParse(input);
    if (!parsed.success) return err(appError('HOST', 'INVALID_INPUT', parsed.error.message));
    const failure = failures.get(name);
    failures.delete(name);
    if (failure) return err(failure);
    const handler = handlers[name];
    if (!handler) throw new Error(`The double of main has no handler for ${name}: add it to its handlers.`);
    return handler(parsed.data as IpcInput<typeof name>);
  };
  return {
    bridge: { invoke, onPush: pushes.onPush, pathOf: () => '' },
    calls,
    addSession: (id, facts) => void append(id, facts),
    recordWithoutPush: (sessionId, facts) => void append(sessionId, facts),
    record,
    push: pushes.push,
    failNext: (name, error) => void failures.set(name, error),
    drained: pushes.drained,
    session: (id) => states.get(id) ?? emptySession(id),
  };
}
