import { appError } from '#shared/app-error';
import type { ModelRef } from '#shared/model';
import { err, ok } from '#shared/result';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { HistoryFit } from '../session/fit-history';

interface CompactDeps {
  readonly history: Pick<HistoryFit, 'compact'>;
  /** The model that answers the next line of a session. */
  readonly modelOf: (sessionId: string) => Promise<ModelRef>;
}

const noSession = appError('HOST', 'STATE', 'There is no session whose conversation could be summarised.');

/** `compact_history`: lets models read a summary in place of earlier turns. Only the user's command may call it. */
export function createCompactTool({ history, modelOf }: CompactDeps): BuiltInTool {
  return {
    name: 'compact_history',
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    needsSession: true,
    toolUsageMetadata: 'Summarises the earlier turns of a conversation.',
    schema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
    async execute(_argumentsJson, { sessionId, signal }) {
      if (sessionId === null) return err(noSession);
      const made = await history.compact(sessionId, await modelOf(sessionId), signal);
      if (!made.ok) return made;
      const summary =
        made.value.by === 'model'
          ? 'Earlier turns summarised. The conversation shows the summary, with undo.'
          : 'Earlier turns left out, because no model could summarise them. The conversation shows it, with undo.';
      return ok(JSON.stringify({ success: true, summary }));
    },
  };
}
