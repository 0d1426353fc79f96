import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';
import { readJson } from '../read-input';

/**
 * `patina exec`: runs one ExecutionUnit from a file or standard input and prints its envelope or its typed
 * error.
 */
export async function execCommand(
  app: Pick<App, 'agentRuntime' | 'project'>,
  terminal: Terminal,
  file: string | undefined,
): Promise<ExitCode> {
  if (file === undefined && terminal.interactive)
    terminal.log('Reading an ExecutionUnit as JSON from standard input; end it with Ctrl+D.');
  const unit = await readJson(file);
  if (!unit.ok) return fail({ ...terminal, json: true }, unit.error);
  const agent = await app.agentRuntime();
  const stopped = new AbortController();
  const unsubscribe = terminal.onInterrupt(() => stopped.abort());
  const result = await agent.execute(unit.value, app.project(), stopped.signal);
  unsubscribe();
  if (!result.ok) return fail({ ...terminal, json: true }, result.error);
  print({ ...terminal, json: true }, result.value, () => '');
  return 0;
}
