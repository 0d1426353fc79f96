import { appError } from '#shared/app-error';
import type { App } from '../../app';
import { acceptCommand } from './accept-tool';
import { grantsCommand, revokeCommand } from './grants';
import { fail, print, type ExitCode, type Terminal } from '../output';

export interface ToolsOptions {
  readonly search?: string;
  readonly signatures?: boolean;
  /** The user's standing answers instead of the tools. */
  readonly grants?: boolean;
  /** The changed tool to accept. */
  readonly accept?: string;
  /** The standing answer to take back. */
  readonly revoke?: string;
}

const noFolder = appError('HOST', 'INVALID_INPUT', 'There is no project folder.', {
  hint: 'Name one with --project DIR.',
});

/** `patina tools`: what a script may call, with access and the signature a model sees. */
export async function toolsCommand(app: App, terminal: Terminal, options: ToolsOptions): Promise<ExitCode> {
  if (options.revoke !== undefined) return revokeCommand(app, terminal, options.revoke);
  if (options.grants) return grantsCommand(app, terminal);
  const project = app.project();
  if (project === null) return fail(terminal, noFolder);
  const agent = await app.agentSide();
  const tools = await agent.describeTools(project, 'live');
  if (!tools.ok) return fail(terminal, tools.error);
  const words = (options.search ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (options.accept !== undefined) return acceptCommand(app, terminal, options.accept);
  const found = tools.value.filter((tool) =>
    words.every((word) => `${tool.uri} ${tool.description}`.toLowerCase().includes(word)),
  );
  print(terminal, found, () =>
    found
      .map((tool) => (options.signatures ? tool.signature : `${tool.access.padEnd(5)} ${tool.uri}`))
      .join('\n'),
  );
  return 0;
}
