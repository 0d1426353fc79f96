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

/** The failure of a tool call; with a button where a server asks for a sign-in. */
export function CallError(props: ErrorCardProps) {
  const { view } = useApp();
  const server = signInServer(props.error);
  if (server === undefined) return <ErrorCard {...props} />;
  const run = () => view.set({ dialog: { kind: 'sign-in', server } });
  return <ErrorCard {...props} action={{ label: text('runParts.call.signIn', { server }), run }} />;
}
