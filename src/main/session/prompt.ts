import type { PromptBlock, PromptPreview, PromptTool } from '#shared/prompt';
import type { ModelTool } from '../ports/llm';

/** One piece of the system message before its tokens are counted. */
export interface PromptText {
  readonly source: string;
  readonly text: string;
}

/** What may speak in the system message. A part that has nothing to say is left out, and so is one that is blank. */
export interface PromptContext {
  readonly workspacePack?: PromptText;
  readonly modeCatalog?: PromptText;
  readonly modeInstructions?: PromptText;
  readonly workflowBoot?: PromptText;
  readonly activeWorkflow?: PromptText;
  readonly workContext?: PromptText;
  readonly staticContext?: PromptText;
}

/** The order of the blocks. The run mode has no part in it: Ask is the same whatever Agent Mode is. */
const order = [
  'workspacePack',
  'modeCatalog',
  'modeInstructions',
  'workflowBoot',
  'activeWorkflow',
  'workContext',
  'staticContext',
] as const satisfies readonly (keyof PromptContext)[];

/** The blocks of the one system message, in their order; line ends as LF, no blank lines around. Pure. */
export function composePrompt(context: PromptContext): readonly PromptText[] {
  return order.flatMap((part) => {
    const block = context[part];
    const text = block?.text.replaceAll('\r\n', '\n').trim() ?? '';
    return block && text !== '' ? [{ source: block.source, text }] : [];
  });
}

/** The system message: the blocks' texts with one empty line between. */
export function systemMessage(blocks: readonly PromptText[]): string {
  return blocks.map((block) => block.text).join('\n\n');
}

/** What `patina prompt` shows: blocks and tools with their tokens, and the sum. */
export function previewPrompt(
  blocks: readonly PromptText[],
  tools: readonly ModelTool[],
  countTokens: (text: string) => number,
): PromptPreview {
  const counted: readonly PromptBlock[] = blocks.map((block) => ({
    ...block,
    tokens: countTokens(block.text),
  }));
  const countedTools: readonly PromptTool[] = tools.map(({ name, description, parameters }) => ({
    ...{ name, description, parameters },
    tokens: countTokens(JSON.stringify({ name, description, parameters })),
  }));
  const total = [...counted, ...countedTools].reduce((sum, part) => sum + part.tokens, 0);
  return { blocks: counted, tools: countedTools, total };
}
