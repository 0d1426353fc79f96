import type { AppError } from '#shared/app-error';
import type { Result } from '#shared/result';
import type { ServerView, SignInOffer } from '#shared/servers';
import { CircleAlert, ExternalLink, KeyRound, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { formatList } from '../../ui/format';

type Step =
  | { readonly kind: 'idle' }
  | { readonly kind: 'looking' }
  | { readonly kind: 'offered'; readonly offer: SignInOffer }
  | { readonly kind: 'waiting'; readonly offer: SignInOffer }
  | { readonly kind: 'failed'; readonly error: AppError };

interface ServerSignInProps {
  readonly server: ServerView;
  readonly busy: boolean;
  readonly onSignIn: (host: string) => Promise<Result<SignInOffer>>;
  readonly onSignOut: () => void;
}

/** The host, which the user checks before the browser opens. */
function Offer({
  offer,
  onOpen,
  onCancel,
}: {
  readonly offer: SignInOffer;
  readonly onOpen: () => void;
  readonly onCancel: () => void;
}) {
  return (
    <section
      aria-label={text('settings.server.signInOffer', { name: offer.server })}
      className="space-y-2 rounded-lg border border-line bg-surface p-3 text-sm"
    >
      <p>{text('settings.server.signInAt')}</p>
      <p className="flex items-center gap-2 font-mono text-base font-medium wrap-anywhere">
        <KeyRound aria-hidden size={16} className="shrink-0 text-accent-text" />
        {offer.host}
      </p>
      <p className="text-muted wrap-anywhere">
        {text('settings.server.signInFor', { host: offer.serverHost })}
      </p>
      {offer.scopes.length > 0 && (
        <p className="text-muted wrap-anywhere">
          {text('settings.server.signInScopes', { scopes: formatList(offer.scopes) })}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" autoFocus onClick={onOpen}>
          <ExternalLink aria-hidden size={14} /> {text('settings.server.openBrowser')}
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          {text('shared.cancel')}
        </Button>
      </div>
    </section>
  );
}

function Waiting({ offer, onCancel }: { readonly offer: SignInOffer; readonly onCancel: () => void }) {
  return (
    <div role="status" className="flex flex-wrap items-center gap-2 text-sm">
      <LoaderCircle aria-hidden size={15} className="shrink-0 animate-spin text-accent-text" />
      <p className="min-w-0 flex-1 wrap-anywhere">
        {text('settings.server.signInWaiting', { host: offer.host })}
      </p>
      <Button tone="quiet" onClick={onCancel}>
        {text('shared.cancel')}
      </Button>
    </div>
  );
}

/** A call that needs more than what was granted says so; otherwise the server only asks for a sign-in. */
function reasonOf({ signIn }: ServerView): string {
  return signIn.missing.length > 0
    ? text('settings.server.signInMore', { scopes: formatList(signIn.missing) })
    : text('settings.server.signInNeeded');
}

interface SignInButtonsProps extends Pick<ServerSignInProps, 'server' | 'busy' | 'onSignOut'> {
  readonly looking: boolean;
  readonly onLook: () => void;
}

function SignInButtons({ server, busy, looking, onLook, onSignOut }: SignInButtonsProps) {
  const { name, signIn } = server;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      {signIn.state === 'needed' && (
        <>
          <p className="min-w-0 flex-1 text-copper-text">{reasonOf(server)}</p>
          <Button
            tone="primary"
            disabled={busy || looking}
            aria-label={text('settings.server.signInNamed', { name })}
            onClick={onLook}
          >
            {text(signIn.host === '' ? 'settings.server.signIn' : 'settings.server.signInAgain')}
          </Button>
        </>
      )}
      {signIn.host !== '' && (
        <Button
          tone="quiet"
          disabled={busy}
          aria-label={text('settings.server.signOutNamed', { name })}
          onClick={onSignOut}
        >
          {text('settings.server.signOut')}
        </Button>
      )}
    </div>
  );
}

/** Signing in to a server and out of it: the host first, then the browser. */
export function ServerSignIn({ server, busy, onSignIn, onSignOut }: ServerSignInProps) {
  const commands = useCommands();
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const { name, signIn } = server;
  const idle = (): void => setStep({ kind: 'idle' });
  const look = async (): Promise<void> => {
    setStep({ kind: 'looking' });
    const offered = await commands.offerSignIn(name);
    setStep(
      offered.ok ? { kind: 'offered', offer: offered.value } : { kind: 'failed', error: offered.error },
    );
  };
  const open = async (offer: SignInOffer): Promise<void> => {
    setStep({ kind: 'waiting', offer });
    const signed = await onSignIn(offer.host);
    if (signed.ok || signed.error.code === 'CANCELLED') idle();
    else setStep({ kind: 'failed', error: signed.error });
  };
  const cancel = (): void => {
    void commands.cancelSignIn(name);
    idle();
  };
  if (signIn.state === 'none' && step.kind === 'idle') return null;
  return (
    <div className="space-y-2 px-3 pb-2.5 ps-10">
      {step.kind === 'offered' && (
        <Offer offer={step.offer} onOpen={() => void open(step.offer)} onCancel={cancel} />
      )}
      {step.kind === 'waiting' && <Waiting offer={step.offer} onCancel={cancel} />}
      {step.kind === 'failed' && (
        <p role="alert" className="flex gap-1.5 text-sm text-danger-text wrap-anywhere">
          <CircleAlert aria-hidden size={15} className="mt-0.5 shrink-0" />
          <span>
            {step.error.message} {step.error.hint}
          </span>
        </p>
      )}
      {step.kind !== 'offered' && step.kind !== 'waiting' && (
        <SignInButtons
          server={server}
          busy={busy}
          looking={step.kind === 'looking'}
          onLook={() => void look()}
          onSignOut={onSignOut}
        />
      )}
    </div>
  );
}
