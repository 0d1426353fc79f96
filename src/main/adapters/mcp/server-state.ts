import type { AppError } from '#shared/app-error';
import type { ServerStatus } from '../../../core/ports/server-status';
import type { ToolDefinition } from '../../../core/ports/tool-definition';
import type { ServerSession } from './server-session';
import { stripControls } from './text-tail';
import type { DefinedTools } from './tool-definition';

/** The state of a server as users see it. */
export interface State {
  state: ServerStatus['state'];
  detail: string;
  tools: number;
  /** Warnings about a working server, newest last; bounded. */
  warnings: string[];
}

const MAX_WARNINGS = 5;

/** Repeats the failure and adds when the next attempt is allowed. */
export function backoffError(failure: AppError, wait: number): AppError {
  const seconds = Math.ceil(wait / 1_000);
  return {
    ...failure,
    message: `${failure.message} Patina retries in ${seconds} s.`,
    retryable: true,
    retryAfterMs: Math.ceil(wait),
  };
}

export function addWarning(shown: State, text: string): void {
  if (shown.warnings.at(-1) !== text) shown.warnings = [...shown.warnings, text].slice(-MAX_WARNINGS);
}

export function statusOf(
  server: string,
  { warnings, detail, ...rest }: State,
  session: ServerSession | undefined,
): ServerStatus {
  const stderr = session?.stderr() ?? '';
  return {
    server,
    ...rest,
    detail: [detail, ...warnings].filter(Boolean).join(' '),
    ...(stderr !== '' && { stderr }),
  };
}

export function showReady(shown: State, { tools, refused }: DefinedTools): void {
  const detail = [excludedTools(refused), uncheckedBy([...tools.values()])].filter(Boolean).join(' ');
  Object.assign(shown, { state: 'ready', detail, tools: tools.size });
}

const maxNamed = 5;
const named = (texts: readonly string[]): string =>
  texts.length > maxNamed
    ? `${texts.slice(0, maxNamed).join('; ')}; and ${texts.length - maxNamed} more.`
    : `${texts.join('; ')}.`;

const excludedTools = (refused: readonly string[]): string =>
  refused.length === 0
    ? ''
    : `${refused.length} ${refused.length === 1 ? 'tool' : 'tools'} left out: ${named(refused)}`;

function uncheckedBy(tools: readonly ToolDefinition[]): string {
  const unchecked = tools.flatMap(({ tool, uncheckedPatterns = [] }) =>
    uncheckedPatterns.map((pattern) => `${tool}: ${stripControls(pattern).slice(0, 60)}`),
  );
  return unchecked.length === 0 ? '' : `Patterns that only the server checks: ${named(unchecked)}`;
}

/** Updates the status of a server that ended between two uses, without waiting for the next use. */
export function markExited(shown: State, sessions: ReadonlySet<ServerSession>): State {
  const [session] = sessions;
  const end = session?.end() ?? null;
  if (shown.state === 'ready' && end !== null) {
    Object.assign(shown, { state: 'failed', detail: withStderr(end, session), tools: 0 });
  }
  return shown;
}

export const detailOf = (error: AppError, session: ServerSession | undefined): string =>
  withStderr(error.message, session);

function withStderr(text: string, session: ServerSession | undefined): string {
  const lastLine = session?.stderr().split('\n').at(-1) ?? '';
  return lastLine === '' ? text : `${text} It last said: ${lastLine.slice(0, 300)}`;
}
