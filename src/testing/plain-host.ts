import type { ModelHost } from '../core/session/model-host';
import type { PromptText } from '../core/ports/prompt-text';

/** A model host without modes: these blocks, no host tools, every tool allowed. */
export function plainHost(blocks: readonly PromptText[]): ModelHost {
  return {
    blocks: () => blocks,
    brief: () => [],
    lists: () => ({ modeTools: ['mcp://*'] }),
    tools: () => [],
    stepTools: () => Promise.resolve([]),
    rounds: () => 8,
    call: () => Promise.reject(new Error('No tool is offered.')),
  };
}
