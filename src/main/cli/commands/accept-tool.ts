import { appError } from '#shared/app-error';
import type { ToolChange } from '#shared/tool-pin';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

const signs = { same: ' ', removed: '-', added: '+' } as const;

function text({ uri, lines }: ToolChange): string {
  return [`${uri} changed:`, ...lines.map((line) => `${signs[line.kind]} ${line.text}`), 'Accepted.'].join(
    '\n',
  );
}

/** `patina tools --accept NAME`: shows how a tool changed and holds it to that from now on. */
export function acceptCommand(app: App, terminal: Terminal, name: string): ExitCode {
  const uri = name.startsWith('mcp://') ? name : `mcp://${name}`;
  const changes = app.pins.changes();
  if (!changes.ok) return fail(terminal, changes.error);
  const change = changes.value.find((one) => one.uri === uri);
  if (!change) return fail(terminal, appError('HOST', 'NOT_FOUND', `${uri} has not changed.`));
  const accepted = app.pins.accept(uri, change.hash);
  if (!accepted.ok) return fail(terminal, accepted.error);
  print(terminal, change, () => text(change));
  return 0;
}
