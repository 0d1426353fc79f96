import { appError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import { sameJson, type Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import {
  describeCallLimits,
  type ImportPreview,
  type ServerDraft,
  type ServersView,
  type ServerToolView,
  type ServerView,
} from '#shared/servers';
import { parseToolUri } from '#shared/tool-name';
import type { ToolChange } from '#shared/tool-pin';
import { firstSentence } from '../../core/agent/tool-signature';
import type { PolicyFiles, PolicyWriter } from '../../core/ports/policy';
import type { Secrets } from '../../core/ports/secrets';
import type { ForeignRegistry, RegisteredServer, ServerRegistry } from '../../core/ports/server-registry';
import { mayBeAllowed } from '../../core/tools/server-permission';
import { allowServer, forgetServer, isAllowed, switchTool } from '../../core/tools/switch-tool';
import type { ServerSignIn } from '../../core/ports/server-sign-in';
import type { ToolPins } from '../../core/tools/pins';
import type { ToolListing } from '../../core/tools/call-scope';

export interface ServerSettingsDeps {
  readonly registry: ServerRegistry;
  readonly policy: Pick<PolicyFiles & PolicyWriter, 'capabilities' | 'saveCapabilities'>;
  readonly secrets: Secrets;
  readonly pins: Pick<ToolPins, 'changes' | 'forget'>;
  /**
   * The servers' offers: queries the named servers now; without names, returns what is known without starting
   * any.
   */
  readonly list: (
    project: string,
    servers: readonly string[] | undefined,
    how: 'known' | 'live',
  ) => Promise<Result<ToolListing>>;
  readonly signIn: Pick<ServerSignIn, 'state' | 'signOut'>;
  /** Called after a registry change: servers restart on their next use. */
  readonly onChanged: () => Promise<void>;
}

/** Which servers of the file to import, and the values they require. */
export interface ServersToImport {
  readonly names: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
}

/** The user's management of a project folder's MCP servers. */
export interface ServerSettings {
  view(project: string, start: string | true | undefined): Promise<Result<ServersView>>;
  /** Adds a server. HOST/INVALID_INPUT when its name is taken. */
  save(project: string, draft: ServerDraft): Promise<Result<null>>;
  /**
   * Removes a server, its lines in the project's manifest and its stored tool definitions, so that a later
   * server of the same name starts from scratch.
   */
  remove(project: string, name: string): Promise<Result<null>>;
  /**
   * Allows every tool of a server in the project's manifest. HOST/NOT_FOUND when no such server is
   * configured.
   */
  allow(project: string, name: string): Result<null>;
  switchTool(project: string, uri: string, on: boolean): Result<null>;
  preview(file: string): Result<ImportPreview>;
  /** Adds servers from the most recently previewed file: exactly what was shown. */
  import(project: string, request: ServersToImport): Promise<Result<null>>;
}

function viewOf(
  { name, kind, words, trusted }: RegisteredServer,
  { servers, tools }: ToolListing,
  changes: readonly ToolChange[],
  manifest: Capabilities,
  toolView: (tool: ToolListing['tools'][number]) => ServerToolView,
  signIn: ServerView['signIn'],
): ServerView {
  const status = servers.find(({ server }) => server === name);
  const own = tools.filter(({ server }) => server === name).map(toolView);
  return {
    name,
    kind,
    words,
    trusted,
    state: status?.state ?? 'idle',
    detail: status?.detail ?? '',
    stderr: status?.stderr ?? '',
    limits: status?.limits ? describeCallLimits(status.limits) : '',
    allowed: own.length > 0 ? own.some(({ allowed }) => allowed) : mayBeAllowed(manifest, name),
    tools: own,
    changes: changes.filter(({ uri }) => parseToolUri(uri)?.server === name),
    signIn,
  };
}

const noSignIn: ServerView['signIn'] = { state: 'none', host: '', missing: [] };

async function viewServers(
  { registry, policy, pins, list, signIn }: ServerSettingsDeps,
  project: string,
  start: string | true | undefined,
): Promise<Result<ServersView>> {
  const known = registry.servers();
  const manifest = policy.capabilities(project);
  if (!known.ok) return known;
  if (!manifest.ok) return manifest;
  if (start !== undefined) await list(project, start === true ? undefined : [start], 'live');
  const listed = await list(project, undefined, 'known');
  if (!listed.ok) return listed;
  const changes = pins.changes();
  if (!changes.ok) return changes;
  const servers = known.value.map((server) =>
    viewOf(
      server,
      listed.value,
      changes.value,
      manifest.value,
      ({ uri, tool, description, readOnly }) => ({
        uri,
        tool,
        description: firstSentence(description),
        access: readOnly ? 'read' : 'write',
        allowed: isAllowed(manifest.value, uri),
      }),
      server.kind === 'http' ? signIn.state(server.name) : noSignIn,
    ),
  );
  return ok({ file: registry.file, servers });
}

/** The preview of a file, and exactly what an import would add. */
function previewOf(
  registry: ServerRegistry,
  file: string,
): Result<{ preview: ImportPreview; found: ForeignRegistry['servers'] }> {
  const [found, known] = [registry.read(file), registry.servers()];
  if (!found.ok) return found;
  if (!known.ok) return known;
  const { servers, disabled, problems, unused } = found.value;
  const taken = new Set(known.value.map(({ name }) => name));
  const preview: ImportPreview = {
    file,
    servers: servers.map(({ name, words, inputs }) => ({ name, words, inputs, taken: taken.has(name) })),
    disabled,
    problems: problems.map(({ field, reason }) => ({ field, reason })),
    unused: unused.map(({ field }) => field),
  };
  return ok({ preview, found: servers });
}

export function createServerSettings(deps: ServerSettingsDeps): ServerSettings {
  const { registry, policy, secrets, signIn } = deps;
  let previewed: ForeignRegistry['servers'] = [];

  const allow = (project: string, names: readonly string[]): Result<null> => {
    const manifest = policy.capabilities(project);
    if (!manifest.ok) return manifest;
    return policy.saveCapabilities(project, names.reduce(allowServer, manifest.value));
  };
  const add = async (project: string, entries: Readonly<Record<string, Json>>): Promise<Result<null>> => {
    const allowed = allow(project, Object.keys(entries));
    const saved = allowed.ok ? registry.put(entries) : allowed;
    if (saved.ok) await deps.onChanged();
    return saved;
  };

  return {
    view: (project, start) => viewServers(deps, project, start),
    async save(project, { name, server, secret }) {
      const known = registry.servers();
      if (!known.ok) return known;
      if (known.value.some((other) => other.name === name)) return err(nameTaken(name));
      const undo = secret ? storeSecret(secrets, secret) : ok(() => undefined);
      if (!undo.ok) return undo;
      const added = await add(project, { [name]: server as unknown as Json });
      if (!added.ok) undo.value();
      return added;
    },
    async remove(project, name) {
      const manifest = policy.capabilities(project);
      if (!manifest.ok) return manifest;
      // A later server of the same name must not find these tokens.
      if (signIn.state(name).host !== '') await signIn.signOut(name);
      const removed = registry.remove(name);
      if (!removed.ok) return removed;
      const forgotten = deps.pins.forget(name);
      if (!forgotten.ok) return forgotten;
      await deps.onChanged();
      const left = forgetServer(manifest.value, name);
      return sameJson(left, manifest.value) ? ok(null) : policy.saveCapabilities(project, left);
    },
    allow(project, name) {
      const known = registry.servers();
      if (!known.ok) return known;
      const names = known.value.map((server) => server.name);
      if (names.includes(name)) return allow(project, [name]);
      const hint = `Configured: ${names.join(', ') || 'none'}.`;
      return err(
        appError('HOST', 'NOT_FOUND', `There is no server "${name}" in ${registry.file}.`, { hint }),
      );
    },
    switchTool(project, uri, on) {
      const manifest = policy.capabilities(project);
      return manifest.ok ? policy.saveCapabilities(project, switchTool(manifest.value, uri, on)) : manifest;
    },
    preview(file) {
      const found = previewOf(registry, file);
      if (found.ok) previewed = found.value.found;
      return found.ok ? ok(found.value.preview) : found;
    },
    async import(project, { names, inputs }) {
      const chosen = previewed.filter(({ name }) => names.includes(name));
      if (chosen.length === 0) return err(appError('HOST', 'STATE', 'Choose the file again.'));
      const stored = storeInputs(secrets, chosen, inputs);
      if (!stored.ok) return stored;
      return add(project, Object.fromEntries(chosen.map(({ name, entry }) => [name, untrusted(entry)])));
    },
  };
}

/** A new server must not take over the permissions, the pinned tools and the sign-in of another. */
const nameTaken = (name: string) =>
  appError('HOST', 'INVALID_INPUT', `There is already a server "${name}".`, {
    hint: 'Choose another name, or remove that server first.',
  });

/** Stores the inputs for the chosen servers; an empty input is reported as missing when its server starts. */
function storeInputs(
  secrets: Secrets,
  chosen: ForeignRegistry['servers'],
  inputValues: ServersToImport['inputs'],
): Result<null> {
  for (const { id } of chosen.flatMap(({ inputs }) => inputs)) {
    const value = Object.hasOwn(inputValues, id) ? inputValues[id] : undefined;
    const stored = value ? secrets.set(id, value, { unprotected: false }) : ok(null);
    if (!stored.ok) return stored;
  }
  return ok(null);
}

/** A file cannot vouch for itself: the user alone can trust an imported server, here. */
function untrusted(entry: Json): Json {
  return { ...(entry as Record<string, Json>), trusted: false };
}

/** Stores a secret and returns an undo function, for the case that the operation it belongs to fails. */
function storeSecret(
  secrets: Secrets,
  { ref, value }: NonNullable<ServerDraft['secret']>,
): Result<() => void> {
  const before = secrets.get(ref);
  const stored = secrets.set(ref, value, { unprotected: false });
  if (!stored.ok) return stored;
  return ok(() => {
    if (before.ok) secrets.set(ref, before.value, { unprotected: false });
    else secrets.remove(ref);
  });
}
