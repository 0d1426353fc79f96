import { appError } from '#shared/app-error';
import type { Result } from '#shared/result';
import type { SignInOffer } from '#shared/servers';
import type { App } from '../../app';
import type { SignInBrowser } from '../../../core/ports/server-sign-in';
import { fail, print, type ExitCode, type Terminal } from '../output';

export interface SignInOptions {
  /** Reads the address that the browser ended at from standard input. */
  readonly paste?: boolean;
}

const PASTE_PROMPT = 'Address that the browser ended at: ';

function explain(terminal: Terminal, { server, serverHost, host, scopes }: SignInOffer): void {
  terminal.log(`Server "${server}" (${serverHost}) asks you to sign in at ${host}.`);
  if (scopes.length > 0) terminal.log(`It asks for these permissions: ${scopes.join(', ')}.`);
}

/**
 * `patina server sign-in NAME`: prints the host and the address to open, and waits for the browser's return to
 * this machine; with `--paste`, also for the address that a browser elsewhere ended at.
 */
export async function signInCommand(
  app: Pick<App, 'agentRuntime'>,
  terminal: Terminal,
  server: string,
  { paste = false }: SignInOptions,
): Promise<ExitCode> {
  const { signIn } = await app.agentRuntime();
  const offered = await signIn.offer(server);
  if (!offered.ok) return fail(terminal, offered.error);
  explain(terminal, offered.value);
  const browser: SignInBrowser = {
    host: offered.value.host,
    open: (url) => {
      terminal.log(`Open this address in your browser:\n\n  ${url}\n`);
      if (!paste) terminal.log('Waiting for the browser. Ctrl+C cancels.');
      return Promise.resolve();
    },
    ...(paste && { pasted: (signal) => terminal.readLine(PASTE_PROMPT, { signal }) }),
  };
  const release = terminal.onInterrupt(() => signIn.cancel(server));
  try {
    return report(terminal, await signIn.signIn(server, browser));
  } finally {
    release();
  }
}

function report(terminal: Terminal, signed: Result<SignInOffer>): ExitCode {
  if (!signed.ok) return fail(terminal, signed.error);
  const { server, host, scopes } = signed.value;
  print(terminal, { server, host, scopes, signedIn: true }, () => `Signed in to "${server}" at ${host}.`);
  terminal.log('The tokens are in secrets.json, which only you can read. The window signs in on its own.');
  return 0;
}

/** `patina server sign-out NAME`: deletes the tokens, and revokes them where the other side allows it. */
export async function signOutCommand(
  app: Pick<App, 'agentRuntime'>,
  terminal: Terminal,
  server: string,
): Promise<ExitCode> {
  const { signIn } = await app.agentRuntime();
  const { host } = signIn.state(server);
  if (host === '') return fail(terminal, notSignedIn(server));
  const done: Result<null> = await signIn.signOut(server);
  if (!done.ok) return fail(terminal, done.error);
  print(terminal, { server, signedIn: false }, () => `Signed out of "${server}".`);
  return 0;
}

const notSignedIn = (server: string) =>
  appError('HOST', 'STATE', `The command line is not signed in to "${server}".`, {
    hint: 'The sign-in of the window is in the keychain: end it in Settings → Servers.',
  });
