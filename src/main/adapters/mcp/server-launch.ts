import path from 'node:path';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { Transport } from '@modelcontextprotocol/client';
import { appError } from '#shared/app-error';
import { assertNever, err, ok, type Result } from '#shared/result';
import { isSecretName } from '#shared/secret-shapes';
import { redactLines, redactMessages } from './redact-secrets';
import { createHttpTransport } from './http-transport';
import type { LinePort, StartBundledServer } from './line-port';
import { addressProblem } from './server-address';
import type { RegistryText, ServerEntry, StdioEntry } from './registry';
import type { ChildLaunch } from './start-command';

/** How a server is reached, made ready but not started. */
export type ServerLaunch =
  /** `probe`: ask first whether it speaks the stateless protocol; ours are known not to. */
  | { readonly kind: 'lines'; readonly open: () => LinePort; readonly probe: boolean }
  | { readonly kind: 'http'; readonly open: () => Transport };

export interface LaunchContext {
  /** Absolute folder of the project: working folder of every server, root of the bundled ones. */
  readonly project: string;
  /** Starts a server that comes with the app, on the project folder. */
  readonly startBundledServer: StartBundledServer;
  /** Starts a command of the user's. */
  readonly startChild: (launch: ChildLaunch) => LinePort;
  /** The environment that `${NAME}` in a registry refers to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value kept under a `secrets_ref`. */
  readonly secret: (ref: string) => Result<string>;
}

/** A context whose entries' own keys are remembered. */
interface Filling extends LaunchContext {
  readonly ownKey: (ref: string) => Result<string>;
  /** Every value that is a key of the entry, as far as it is filled in. */
  readonly keys: string[];
}

/**
 * Fills in what a registry entry refers to. Its own keys are taken out of everything the server says: what is kept under
 * a `secrets_ref`, and what its environment, headers and address hold under the name of a secret. A variable or secret
 * that is not there is CONFIG/MISSING and the server does not start.
 */
export function serverLaunch(entry: ServerEntry, context: LaunchContext): Result<ServerLaunch> {
  const keys: string[] = [];
  const ownKey: Filling['ownKey'] = (ref) => {
    const key = context.secret(ref);
    if (key.ok) keys.push(key.value);
    return key;
  };
  const launch = launchOf(entry, { ...context, ownKey, keys });
  if (!launch.ok) return launch;
  const { value } = launch;
  return value.kind === 'lines'
    ? ok({ ...value, open: () => redactLines(value.open(), keys) })
    : ok({ ...value, open: () => redactMessages(value.open(), keys) });
}

function launchOf(entry: ServerEntry, context: Filling): Result<ServerLaunch> {
  switch (entry.kind) {
    case 'bundled': {
      const open = (): LinePort => context.startBundledServer(entry.bundled, context.project);
      return ok({ kind: 'lines', open, probe: false });
    }
    case 'stdio':
      return stdioLaunch(entry, context);
    case 'http': {
      const headers = fillAll(entry.headers, context);
      const url = fill(entry.url, context);
      if (!headers.ok) return headers;
      if (!url.ok) return url;
      const problem = addressProblem(url.value);
      if (problem !== null) {
        return err(appError('CONFIG', 'INVALID', `The address of the server ${problem}.`));
      }
      noteKeys(Object.fromEntries(new URL(url.value).searchParams), context);
      const http = { url: url.value, headers: headers.value, older: entry.type === 'sse' };
      return ok({ kind: 'http', open: () => createHttpTransport({ ...http, keys: context.keys }) });
    }
    default:
      return assertNever(entry);
  }
}

function stdioLaunch(entry: StdioEntry, context: Filling): Result<ServerLaunch> {
  const words = [entry.command, ...entry.args, entry.cwd ?? '.'].map((word) => fill(word, context));
  const missing = words.find((word) => !word.ok);
  if (missing !== undefined && !missing.ok) return missing;
  const [command = '', ...rest] = words.map((word) => (word.ok ? word.value : ''));
  const own = fillAll(entry.env, context);
  if (!own.ok) return own;
  const launch: ChildLaunch = {
    command,
    args: rest.slice(0, -1),
    cwd: path.resolve(context.project, rest.at(-1) ?? '.'),
    env: { ...getDefaultEnvironment(), ...own.value },
  };
  return ok({ kind: 'lines', open: () => context.startChild(launch), probe: true });
}

function fillAll(
  texts: Readonly<Record<string, RegistryText>>,
  context: Filling,
): Result<Record<string, string>> {
  const filled: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts)) {
    const value = fill(text, context);
    if (!value.ok) return value;
    filled[name] = value.value;
  }
  noteKeys(filled, context);
  return ok(filled);
}

/** Keeps in mind what goes by the name of a secret: whole, and the words of it (`Bearer …`, `name=value; …`). */
function noteKeys(values: Readonly<Record<string, string>>, { keys }: Filling): void {
  for (const [name, value] of Object.entries(values)) {
    if (isSecretName(name)) keys.push(value, ...value.split(/[\s;,=]+/).filter((word) => word !== ''));
  }
}

/** `${NAME}`, `${NAME:-default}`, VS Code's `${env:NAME}` and `${workspaceFolder}`; a value filled in is not read again. */
const REFERENCE = /\$\{([^{}]+)\}/g;

function fill(text: RegistryText, context: Filling): Result<string> {
  if (typeof text !== 'string') return context.ownKey(text.secrets_ref);
  const missing: string[] = [];
  const filled = text.replace(REFERENCE, (_whole, reference: string) => {
    const value = lookUp(reference, context);
    if (value === undefined) missing.push(reference);
    return value ?? '';
  });
  if (missing.length === 0) return ok(filled);
  return err(
    appError('CONFIG', 'MISSING', `The registry refers to \${${missing.join('}, ${')}}, which is not set.`),
  );
}

/** A value that was asked for when the server was taken over; kept with the keys. */
function inputValue(reference: string, context: LaunchContext): string | undefined {
  const kept = context.secret(reference.slice('input:'.length));
  return kept.ok ? kept.value : undefined;
}

function lookUp(reference: string, context: LaunchContext): string | undefined {
  if (reference === 'workspaceFolder') return context.project;
  if (reference.startsWith('input:')) return inputValue(reference, context);
  const [name = '', ...rest] = reference.replace(/^env:/, '').split(':-');
  return context.env[name] ?? (rest.length > 0 ? rest.join(':-') : undefined);
}
