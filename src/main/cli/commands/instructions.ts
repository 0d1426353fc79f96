import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { App } from '../../app';
import { loadTokenCount } from '../../../core/session/token-count';
import { fail, print, type ExitCode, type Terminal } from '../output';

export interface InstructionsOptions {
  /** A session; without it, the project with `project`, otherwise every session. */
  readonly session?: string;
  readonly here?: true;
}

type InstructionsApp = Pick<App, 'log' | 'project' | 'settings'>;

const noFolder = appError('HOST', 'INVALID_INPUT', 'No project folder is open.', {
  hint: 'Name one with --project <dir>.',
});

/** The instructions of one place, and how to replace them. */
interface InstructionScope {
  readonly scope: 'app' | 'project' | 'session';
  readonly text: string;
  readonly save: (text: string) => Result<unknown>;
}

function placeOf(app: InstructionsApp, { session, here }: InstructionsOptions): Result<InstructionScope> {
  const { settings, log } = app;
  const { instructions, projectInstructions } = settings.get();
  if (session !== undefined) {
    const opened = log.open(session);
    if (!opened.ok) return opened;
    const save = (text: string) => log.append(session, [{ type: 'instructions-changed', text }]);
    return ok({ scope: 'session', text: opened.value.state.instructions ?? '', save });
  }
  if (!here)
    return ok({ scope: 'app', text: instructions, save: (text) => settings.patch({ instructions: text }) });
  const folder = app.project();
  if (folder === null) return err(noFolder);
  const { [folder]: text = '', ...others } = projectInstructions;
  const save = (changed: string) =>
    settings.patch({ projectInstructions: changed === '' ? others : { ...others, [folder]: changed } });
  return ok({ scope: 'project', text, save });
}

/** `patina instructions show|set`: the user's own instructions for models, with their size in tokens. */
export async function instructionsCommand(
  app: InstructionsApp,
  terminal: Terminal,
  changed: string | null,
  options: InstructionsOptions,
): Promise<ExitCode> {
  const place = placeOf(app, options);
  if (!place.ok) return fail(terminal, place.error);
  const { scope, save } = place.value;
  const saved = changed === null ? ok(null) : save(changed.trim());
  if (!saved.ok) return fail(terminal, saved.error);
  const text = changed === null ? place.value.text : changed.trim();
  const tokens = (await loadTokenCount())(text);
  print(terminal, { scope, text, tokens }, () =>
    text === '' ? `No instructions (${scope}).` : `${text}\n\n[${scope}, ${tokens} tokens]`,
  );
  return 0;
}
