import { windowActionTool } from '#shared/command';
import { ok } from '#shared/result';
import type { BuiltInTool } from '../ports/built-in-tool';

/** `window_action`: records that the user asked for a window action; whoever shows the line carries it out. */
export function createWindowActionTool(): BuiltInTool {
  return {
    name: windowActionTool,
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    needsSession: true,
    toolUsageMetadata: 'Asks the window to do something.',
    schema: {
      type: 'object',
      properties: { action: { type: 'string' }, id: { type: 'string' } },
      required: ['action', 'id'],
      additionalProperties: false,
    },
    execute: () => Promise.resolve(ok(JSON.stringify({ success: true }))),
  };
}
