import { appError } from '#shared/app-error';
import type { App, ServerReport, ToolRow } from '../../app';
import type { ServerSettings } from '../../settings/server-settings';
import { describeError, fail, print, type ExitCode, type Terminal } from '../output';
import type { ToolChange } from '#shared/tool-pin';
import type { Grant } from '#shared/grant';
import { describeScope, describeBoundArguments } from '#shared/grant-labels';

export interface ToolsOptions {
  readonly search?: string;
  readonly signatures?: boolean;
  /** Lists the user's saved permissions instead of the tools. */
  readonly grants?: boolean;
  /** The changed tool to accept. */
  readonly accept?: string;
  /** The server to allow in this project. */
  readonly allow?: string;
  /** The saved permission to revoke. */
  readonly revoke?: string;
}

const noFolder = appError('HOST', 'INVALID_INPUT', 'There is no project folder.', {
  hint: 'Name one with --project DIR.',
});

/** `patina tools`: lists the tools a script may call, with access and the signature a model sees. */
export async function toolsCommand(
  app: Pick<App, 'agentRuntime' | 'grants' | 'pins' | 'project'>,
  terminal: Terminal,
  options: ToolsOptions,
): Promise<ExitCode> {
  if (options.revoke !== undefined) return revokeCommand(app, terminal, options.revoke);
  if (options.grants) return grantsCommand(app, terminal);
  const project = app.project();
  if (project === null) return fail(terminal, noFolder);
  const agent = await app.agentRuntime();
  if (options.allow !== undefined)
    return allowCommand(terminal, agent.serverSettings, project, options.allow);
  const tools = await agent.describeTools(project, 'live');
  if (!tools.ok) return fail(terminal, tools.error);
  const words = (options.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (options.accept !== undefined) return acceptCommand(app, terminal, options.accept);
  const found = tools.value.filter((tool) =>
    words.every((word) => `${tool.uri} ${tool.description}`.toLowerCase().includes(word)),
  );
  const servers = await agent.checkServers(project, 'known');
  const rows = servers.ok ? servers.value : [];
  const needsSignIn = ({ server }: ServerReport): boolean => agent.signIn.state(server).state === 'needed';
  const waiting = rows.find(needsSignIn);
  if (found.length === 0 && waiting) return fail(terminal, signInNeeded(waiting.server));
  print(terminal, found, () =>
    found.map((tool) => (options.signatures ? tool.signature : lineOf(tool))).join('\n'),
  );
  for (const row of rows) logServer(terminal, row, needsSignIn(row));
  return 0;
}

/** Says what a list of tools does not show: a server that is not allowed, asks for a sign-in, or failed. */
function logServer(terminal: Terminal, { server, detail, notAllowed }: ServerReport, signIn: boolean): void {
  if (notAllowed !== undefined) terminal.log(notAllowed);
  if (signIn) terminal.log(describeError(signInNeeded(server)));
  else if (detail !== '') {
    // An error already names its server.
    const name = `Server "${server}"`;
    terminal.log(detail.startsWith(name) ? detail : `${name}: ${detail}`);
  }
}

const signInNeeded = (server: string) =>
  appError('TOOL', 'SIGN_IN', `Server "${server}" asks for a sign-in, so its tools are not listed.`, {
    hint: `Sign in with: patina server sign-in ${server}`,
  });

const lineOf = ({ access, uri, allowed }: ToolRow): string =>
  `${access.padEnd(5)} ${uri}${allowed ? '' : ' (not allowed in this project)'}`;

/** `patina tools --allow SERVER`: adds the server's line to the project's manifest. */
function allowCommand(
  terminal: Terminal,
  settings: ServerSettings,
  project: string,
  server: string,
): ExitCode {
  const allowed = settings.allow(project, server);
  if (!allowed.ok) return fail(terminal, allowed.error);
  print(terminal, { server, allowed: true }, () => `The tools of "${server}" are allowed in this project.`);
  return 0;
}
const signs = { same: ' ', removed: '-', added: '+' } as const;
function text({ uri, lines }: ToolChange): string {
  return [`${uri} changed:`, ...lines.map((line) => `${signs[line.kind]} ${line.text}`), 'Accepted.'].join(
    '\n',
  );
}

/** `patina tools --accept NAME`: shows how a tool changed and accepts the new definition. */
function acceptCommand(app: Pick<App, 'pins'>, terminal: Terminal, name: string): ExitCode {
  const uri = name.startsWith('mcp://') ? name : `mcp://${name}`;
  const changes = app.pins.changes();
  if (!changes.ok) return fail(terminal, changes.error);
  const change = changes.value.find((one) => one.uri === uri);
  if (!change)
    return fail(terminal, appError('HOST', 'NOT_FOUND', `The definition of ${uri} has not changed.`));
  const accepted = app.pins.accept(uri, change.hash);
  if (!accepted.ok) return fail(terminal, accepted.error);
  print(terminal, change, () => text(change));
  return 0;
}
function line(grant: Grant): string {
  const place = grant.reach.kind === 'always' ? `\n    ${grant.reach.project}` : '';
  return `${grant.id}  ${grant.tool}: ${describeScope(grant)}, ${describeBoundArguments(grant)}${place}`;
}

/** `patina tools --grants`: lists the user's saved permissions, newest first. */
function grantsCommand(app: Pick<App, 'grants'>, terminal: Terminal): ExitCode {
  const grants = app.grants.list();
  if (!grants.ok) return fail(terminal, grants.error);
  const none = 'There are no saved permissions: Patina asks before every write.';
  print(terminal, grants.value, () => grants.value.map(line).join('\n') || none);
  return 0;
}

/** `patina tools --revoke ID`: revokes a saved permission and prints the remaining ones. */
function revokeCommand(app: Pick<App, 'grants'>, terminal: Terminal, id: string): ExitCode {
  const revoked = app.grants.revoke([id]);
  return revoked.ok ? grantsCommand(app, terminal) : fail(terminal, revoked.error);
}
