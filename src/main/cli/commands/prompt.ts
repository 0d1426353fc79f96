import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

/** `patina prompt`: what the model would be sent before the conversation, block by block. */
export async function promptCommand(
  app: App,
  terminal: Terminal,
  session: string | undefined,
): Promise<ExitCode> {
  const known = session === undefined || app.log.peek(session);
  if (known !== true && !known.ok) return fail(terminal, known.error);
  const preview = await app.previewPrompt(session ?? null);
  if (!preview.ok) return fail(terminal, preview.error);
  const { blocks, total } = preview.value;
  print(terminal, preview.value, () =>
    [
      ...blocks.map((block) => `[${block.source}, ${block.tokens} tokens]\n${block.text}`),
      `${total} tokens`,
    ].join('\n\n'),
  );
  return 0;
}
