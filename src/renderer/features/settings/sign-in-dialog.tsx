import type { ServerView } from '#shared/servers';
import { X } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { OutcomeLine } from './outcome-line';
import { ServerSignIn } from './server-sign-in';
import { useServers } from './use-servers';

/** A call that failed asked for the sign-in, even if the server was not asked again since Patina started. */
const asking = (server: ServerView): ServerView =>
  server.signIn.state === 'none' ? { ...server, signIn: { ...server.signIn, state: 'needed' } } : server;

/** The sign-in of the server whose call failed, without the rest of the settings. */
export function SignInDialog({ server: name }: { readonly server: string }) {
  const { view } = useApp();
  const { view: listed, problem, busy, outcome, signIn, signOut } = useServers();
  const server = listed?.servers.find((one) => one.name === name);
  const title = text('settings.server.signInNamed', { name });
  const close = () => view.set({ dialog: null });
  return (
    <Modal label={title} onClose={close} className="my-auto w-[28rem] max-w-[calc(100vw-2rem)]">
      <div className="relative flex max-h-[calc(100vh-2rem)] flex-col gap-3 overflow-y-auto p-5 text-sm">
        <h2 className="me-8 truncate text-base font-semibold">{title}</h2>
        {problem && <ErrorCard error={problem} />}
        {listed && !server && <p>{text('settings.server.signInGone', { name })}</p>}
        {server && (
          <ServerSignIn
            server={asking(server)}
            busy={busy !== null}
            onSignIn={(host) => signIn(name, host)}
            onSignOut={() => void signOut(name)}
          />
        )}
        <OutcomeLine outcome={outcome} />
        <IconButton
          bare
          icon={X}
          label={text('settings.server.signInClose')}
          onClick={close}
          className="absolute top-2.5 end-2.5"
        />
      </div>
    </Modal>
  );
}
