import type { AppError } from '#shared/app-error';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { ErrorCard, type ErrorCardProps } from '../../ui/error-card';

/** The server that asks for a sign-in. */
function signInServer({ code, tool = '' }: AppError): string | undefined {
  return code === 'SIGN_IN' ? /^mcp:\/\/([^.]+)\./.exec(tool)?.[1] : undefined;
}

export const asksForSignIn = ({ error }: { readonly error?: AppError | undefined }): boolean =>
  error !== undefined && signInServer(error) !== undefined;

function SignInError({ server, ...card }: ErrorCardProps & { readonly server: string }) {
  const { view } = useApp();
  const run = () => view.set({ dialog: { kind: 'sign-in', server } });
  return <ErrorCard {...card} action={{ label: text('runParts.call.signIn', { server }), run }} />;
}

/** The failure of a tool call; with a button where a server asks for a sign-in. */
export function CallError(props: ErrorCardProps) {
  const server = signInServer(props.error);
  return server === undefined ? <ErrorCard {...props} /> : <SignInError server={server} {...props} />;
}
