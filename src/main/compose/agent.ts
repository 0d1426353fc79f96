import { join } from 'node:path';
import type { Grant } from '#shared/grant';
import { ok, type Result } from '#shared/result';
import { createChildLinePort } from '../adapters/mcp/child-line-port';
import { createTools } from '../adapters/mcp/create-tools';
import { readRegistry } from '../adapters/mcp/registry-file';
import { createServerRegistry } from '../adapters/mcp/registry-store';
import { createPolicyFiles } from '../adapters/policy/policy-files';
import type { QuickJsSandbox } from '../adapters/sandbox/quickjs-sandbox';
import { readProjectFile, resolveProjectPath } from '../adapters/system/read-project-file';
import { createProjectStamp } from '../adapters/system/project-stamp';
import { fetchFor } from '../adapters/system/system-proxy';
import { createTextFolder } from '../adapters/storage/text-folder';
import { createObservedTypes, type ObservedTypes } from '../../core/agent/observed-types';
import { plannerPrompt } from '../../core/agent/planner-prompt';
import { declareTools, firstSentence } from '../../core/agent/tool-signature';
import type { AgentRuntime, ServerReport, ToolRow } from '../app';
import { artifactsOf } from './storage';
import { createSandboxOf } from './sandbox';
import { composeSignIn, registryPlaces } from './servers';
import { composeTraces } from './traces';
import type { AgentCoreDeps, CoreDeps } from './core-deps';
import { callServerTool, executeUnit } from '../diagnostics/execute-unit';
import { idleMsFrom } from '../lifecycle/idle-ms';
import { createIdleTimeout } from '../lifecycle/idle-timeout';
import type { McpResources } from '../../core/ports/mcp-resources';
import type { PolicyFiles } from '../../core/ports/policy';
import type { ToolDefinition } from '../../core/ports/tool-definition';
import type { DiscoveryMode } from '../../core/ports/discovery-mode';
import type { ServerSignIn } from '../../core/ports/server-sign-in';
import type { Tools } from '../../core/ports/tools';
import { createServerSettings, type ServerSettings } from '../settings/server-settings';
import { loadTokenCount } from '../../core/session/token-count';
import { createTokenEstimate } from '../../core/tools/model-usage';
import { createApprovals } from '../../core/tools/approvals';
import type { ToolCalls } from '../../core/tools/call-tool';
import type { ServerAccess } from '../../core/tools/tool-table';
import { createWriteHistory } from '../../core/tools/write-history';
import { createReadCache } from '../../core/tools/read-cache';
import { createSchemaCheck } from '../../core/tools/schema-check';
import { unallowedServers, unallowedServerText } from '../../core/tools/server-permission';
import { isAllowed } from '../../core/tools/switch-tool';
import { createEarlierPlans } from '../../core/agent/earlier-plans';

/** Creates one value per key, on first use. */
function memo<T>(make: (key: string) => T) {
  const made = new Map<string, T>();
  return {
    get(key: string): T {
      const value = made.get(key) ?? make(key);
      made.set(key, value);
      return value;
    },
    known: (key: string): T | null => made.get(key) ?? null,
    all: () => [...made.values()],
  };
}

type Servers = Tools & McpResources;

function createToolsOf(
  coreDeps: CoreDeps,
  authOf: ReturnType<typeof composeSignIn>['authOf'],
): (project: string) => Servers {
  const { host, clock, elicitations, eventLog } = coreDeps;
  const places = registryPlaces(coreDeps);
  const texts = createTextFolder(join(host.home, 'cache/tools'), { maxTexts: 200, largest: 4_000_000 });
  return (project) => {
    const artifacts = artifactsOf(coreDeps)(project);
    return createTools({
      registry: () => readRegistry(places),
      project,
      startBundledServer: host.startBundledServer,
      startChild: createChildLinePort,
      env: host.env,
      secret: host.secrets.get,
      authOf,
      fetch: fetchFor(host),
      elicit: elicitations.elicit,
      onServerLife: (server, event, detail) => eventLog.write(`server-${event}`, { server, detail }),
      lists: { texts, app: host.version, now: clock.now },
      storeContent: (name, type, content) => {
        const put = artifacts.put(name, type, content);
        return put.ok ? put.value.handle : null;
      },
    });
  };
}

/** The servers of each project folder, with all that their calls need. */
function createServerAccess(
  { host, clock, grants, pins, elicitations, undoFiles }: AgentCoreDeps,
  toolsOf: (project: string) => Tools,
  onResult: ObservedTypes['see'],
) {
  const texts = createTextFolder(join(host.home, 'cache'), { maxTexts: 1_000, largest: 2 * 1024 * 1024 });
  const listed = new Map<string, readonly ToolDefinition[]>();
  const savedGrants = (): readonly Grant[] => {
    const stored = grants.list();
    // An unreadable manifest allows nothing: ask the user.
    return stored.ok ? stored.value : [];
  };
  const access = memo((project): Omit<ServerAccess, 'track'> => {
    const stamp = createProjectStamp(project);
    const cache = createReadCache({
      project,
      texts,
      now: clock.now,
      // Only project files have a known state; the registry limits the lifetime of other servers' results.
      stamp: ({ bundled, tool }, args) => stamp(bundled, tool, args),
    });
    return {
      tools: toolsOf(project),
      savedPermissions: { project, grants: savedGrants },
      readFile: (path, maxBytes) => readProjectFile(project, path, maxBytes),
      history: createWriteHistory(undoFiles, project),
      resolvePath: (path) => resolveProjectPath(project, path),
      cache,
      pins,
      elicitations,
      onListed: (tools) => void listed.set(project, tools),
      onResult,
    };
  });
  return {
    of: access.get,
    /** The tools that the project's servers listed last; null when none was queried. */
    listed: (project: string) => listed.get(project) ?? null,
  };
}

type Rows = Result<readonly ToolRow[]>;

interface DescribeNeeds {
  readonly toolCalls: Pick<ToolCalls, 'list'>;
  readonly policy: PolicyFiles;
  readonly observed: ObservedTypes;
}

async function describeTools(
  { toolCalls, policy, observed }: DescribeNeeds,
  project: string,
  how: DiscoveryMode,
): Promise<Rows> {
  const manifest = policy.capabilities(project);
  if (!manifest.ok) return manifest;
  const listed = await toolCalls.list(project, undefined, how);
  if (!listed.ok) return listed;
  const declared = declareTools(listed.value.tools, observed.schemaOf, false);
  const rows = listed.value.tools.map((tool) => ({
    uri: tool.uri,
    access: tool.readOnly ? ('read' as const) : ('write' as const),
    description: firstSentence(tool.description),
    signature: declared.signature(tool.uri),
    allowed: isAllowed(manifest.value, tool.uri),
  }));
  return ok(rows);
}

/** The servers with their status in this project. */
async function reportServers(
  { toolCalls, policy }: DescribeNeeds,
  project: string,
  how: DiscoveryMode,
): Promise<Result<readonly ServerReport[]>> {
  const manifest = policy.capabilities(project);
  const listed = await toolCalls.list(project, undefined, how);
  if (!listed.ok) return listed;
  // An unreadable manifest is reported separately.
  const unallowed = manifest.ok ? unallowedServers(manifest.value, listed.value.tools) : [];
  const words = new Map(unallowed.map((one) => [one.server, unallowedServerText(one)]));
  return ok(
    listed.value.servers.map((status) => {
      const notAllowed = words.get(status.server);
      return notAllowed === undefined ? status : { ...status, notAllowed };
    }),
  );
}

/** Tracks use, so that servers started for an inspection are released like those of a run. */
function whileUsed(servers: McpResources, track: <T>(work: () => Promise<T>) => Promise<T>): McpResources {
  return {
    ...servers,
    resources: (...params) => track(() => servers.resources(...params)),
    read: (...params) => track(() => servers.read(...params)),
  };
}

interface SettingsNeeds {
  readonly coreDeps: AgentCoreDeps;
  readonly policy: ReturnType<typeof createPolicyFiles>;
  readonly toolCalls: Pick<ToolCalls, 'list'>;
  readonly tools: { readonly all: () => readonly Servers[] };
  readonly signIn: ServerSignIn;
}

function settingsOfServers({ coreDeps, policy, toolCalls, tools, signIn }: SettingsNeeds): ServerSettings {
  return createServerSettings({
    registry: createServerRegistry(registryPlaces(coreDeps)),
    policy,
    pins: coreDeps.pins,
    secrets: coreDeps.host.secrets,
    list: toolCalls.list,
    signIn,
    onChanged: async () => {
      await Promise.all(tools.all().map((servers) => servers.release()));
    },
  });
}

/** Releases the idle resources: the sandboxes' processes and the servers. */
function releaseOf(
  sandboxes: { readonly all: () => readonly QuickJsSandbox[] },
  tools: { readonly all: () => readonly Servers[] },
): () => void {
  return () => {
    for (const engine of sandboxes.all()) engine.release();
    for (const servers of tools.all()) void servers.release();
  };
}

/** The agent runtime, and the access to servers that only `toolCalls` receives. */
export interface ComposedAgent {
  readonly runtime: AgentRuntime;
  readonly servers: (project: string) => ServerAccess;
}

/**
 * Builds the agent runtime. Starts nothing: a worker starts with a run, and servers start with the first call
 * that needs them.
 */
export function composeAgent(coreDeps: AgentCoreDeps): ComposedAgent {
  const { host, seeds, clock, ids, models, recipes, toolCalls } = coreDeps;
  const policy = createPolicyFiles({ seeds, env: host.env });
  const listeners = new Set<() => void>();
  const signIn = composeSignIn(coreDeps, async () => {
    await Promise.all(tools.all().map((servers) => servers.release()));
  });
  const toolsOf = createToolsOf(coreDeps, signIn.authOf);
  const tools = memo((project) => {
    const made = toolsOf(project);
    made.onResourcesChanged(() => listeners.forEach((listener) => listener()));
    return made;
  });
  const sandboxes = memo(createSandboxOf(coreDeps));
  const { observed, ...learned } = composeLearned(host.home);
  const access = createServerAccess(coreDeps, tools.get, observed.see);
  const countTokens = createTokenEstimate(loadTokenCount).exact;
  const idle = createIdleTimeout(clock, idleMsFrom(host.env['PATINA_IDLE_MS']), releaseOf(sandboxes, tools));
  const { agent, close: closeTraces } = composeTraces(coreDeps, {
    approvals: createApprovals(),
    checkSchema: createSchemaCheck(),
    clock,
    ids,
    models,
    recipes,
    policy,
    observed,
    ...learned,
    sandbox: sandboxes.get,
    artifacts: artifactsOf(coreDeps),
    toolCalls,
  });
  const runtime: AgentRuntime = {
    policy,
    agent: { ...agent, run: (...request) => idle.track(() => agent.run(...request)) },
    execute: (unit, project, signal) => {
      const engine = sandboxes.get(project ?? host.home);
      const deps = { engine, policy, toolCalls, clock, ids };
      return idle.track(() => executeUnit(deps, unit, project, signal));
    },
    callServerTool: (call, signal) =>
      idle.track(() => callServerTool({ policy, toolCalls, clock, ids }, call, signal)),
    plannerPrompt: (project, shown) =>
      idle.track(() => plannerPrompt({ policy, observed, toolCalls, countTokens }, project, shown)),
    describeTools: (project, how) => describeTools({ toolCalls, policy, observed }, project, how),
    checkServers: (project, how = 'live') => reportServers({ toolCalls, policy, observed }, project, how),
    knownServers: (project) => tools.known(project),
    listedTools: access.listed,
    resourcesOf: (project) => whileUsed(tools.get(project), idle.track),
    onResourcesChanged(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    serverSettings: settingsOfServers({ coreDeps, policy, toolCalls, tools, signIn }),
    signIn,
    selfTest: async () => {
      const engine = sandboxes.get(host.home);
      const layers = await engine.selfTest();
      const { engine: name, ready, detail } = await engine.health();
      const offers = engine.capabilities().join(', ');
      const summary = offers === '' ? 'a script can use nothing' : `a script can use ${offers}`;
      return [
        { name: 'sandbox', ok: ready, detail: `engine ${name}: ${detail}; ${summary}` },
        ...layers.map((layer) => ({ ...layer, name: `sandbox ${layer.name}` })),
      ];
    },
    async close() {
      await Promise.all([
        ...sandboxes.all().map((engine) => engine.close()),
        ...tools.all().map((all) => all.release()),
        closeTraces(),
      ]);
    },
  };
  return { runtime, servers: (project) => ({ ...access.of(project), track: idle.track }) };
}

/** What earlier runs teach the planner; it can be deleted at any time. */
function composeLearned(home: string) {
  const texts = createTextFolder(join(home, 'learned'));
  const nodeReplies = createTextFolder(join(home, 'cache', 'replies'));
  return { observed: createObservedTypes(texts), earlier: createEarlierPlans(texts), nodeReplies };
}
