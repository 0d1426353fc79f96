import type { RunMode } from '#shared/run-mode';
import type { App } from '../../app';
import { overrideFrom, type OverrideOptions } from '../workspace-override';
import { fail, print, type ExitCode, type Terminal } from '../output';

export interface PromptOptions extends OverrideOptions {
  readonly session?: string;
  /** Key of a mode that replaces the session's own. */
  readonly mode?: string;
  readonly runMode?: RunMode;
  /** Includes tools in Ask, regardless of the settings. */
  readonly tools?: true;
}

/** `patina prompt`: prints the prompt that precedes the conversation, block by block. */
export async function promptCommand(
  app: Pick<App, 'previewPrompt' | 'workspace'>,
  terminal: Terminal,
  { session, mode, runMode = 'ask', tools: withTools, ...options }: PromptOptions,
): Promise<ExitCode> {
  const workspace = overrideFrom(app, options);
  if (!workspace.ok) return fail(terminal, workspace.error);
  const wanted = {
    sessionId: session ?? null,
    runMode,
    ...(mode !== undefined && { mode }),
    ...(withTools && { tools: true }),
    ...(workspace.value && { workspace: workspace.value }),
  };
  const preview = await app.previewPrompt(wanted);
  if (!preview.ok) return fail(terminal, preview.error);
  const { blocks, images = [], tools, total, verdicts = [] } = preview.value;
  const left = verdicts.filter(({ offered }) => !offered);
  print(terminal, preview.value, () =>
    [
      ...blocks.map((block) => `[${block.source}, ${block.tokens} tokens]\n${block.text}`),
      ...images.map(({ label, mediaType, width, height, tokens, sha256 }) => {
        const what = `${mediaType}, ${width} × ${height} pixels, sha256 ${sha256.slice(0, 12)}`;
        return `[image, about ${tokens} tokens]\n${label}\n${what}`;
      }),
      ...tools.map((tool) => `[tool ${tool.name}, ${tool.tokens} tokens]\n${tool.description}`),
      ...left.map(({ name, layer, reason }) => `[not offered: ${name}, ${layer ?? ''}] ${reason}`),
      `${total} tokens`,
    ].join('\n\n'),
  );
  return 0;
}
