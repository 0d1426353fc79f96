import type { App } from '../../compose';
import { fail, print, type ExitCode, type Terminal } from '../output';
import { readJson } from '../read-input';

/** `patina exec`: one ExecutionUnit from a file or standard input to its envelope, or its typed error. */
export async function execCommand(app: App, terminal: Terminal, file: string | undefined): Promise<ExitCode> {
  const unit = readJson(file);
  if (!unit.ok) return fail(terminal, unit.error);
  const agent = await app.agentSide();
  const result = await agent.execute(unit.value, app.project());
  if (!result.ok) return fail({ ...terminal, json: true }, result.error);
  print({ ...terminal, json: true }, result.value, () => '');
  return 0;
}
