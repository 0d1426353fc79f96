import type { ModelContext } from '../core/session/model-context';
import type { PromptText } from '../core/ports/prompt-text';

/** A model context without modes: these blocks, no built-in tools, every tool allowed. */
export function plainModelContext(blocks: readonly PromptText[]): ModelContext {
  return {
    blocks: () => blocks,
    brief: () => [],
    lists: () => ({ modeTools: ['mcp://*'] }),
    builtInTools: () => [],
    serverTools: () => Promise.resolve([]),
    maxRounds: () => 8,
    callTool: () => Promise.reject(new Error('No tool is offered.')),
  };
}
