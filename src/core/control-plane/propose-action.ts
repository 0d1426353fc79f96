import { z } from 'zod';
import { localProviderId } from '#shared/local-model';
import type { ModelClient, ModelRequest } from '../ports/llm';

const maxRows = 120;
const maxLineLength = 500;
const maxOutputTokens = 60;
const Reply = z.strictObject({ action: z.string().nullable() });

/** An action or command, with the name that the window shows. */
interface ProposableAction {
  readonly id: string;
  readonly name: string;
}

const rules = (rows: readonly ProposableAction[]): string => `Which action does the user mean?
${rows.map(({ id, name }) => `- ${id}: ${name}`).join('\n')}
Answer with JSON: {"action": the name before the colon}, or {"action": null} when the user means none of them.`;

/** The request that asks a model on this computer which action a line means. Pure. */
export function actionRequest(line: string, model: string, all: readonly ProposableAction[]): ModelRequest {
  const rows = all.slice(0, maxRows);
  const schema = {
    type: 'object',
    properties: { action: { enum: [...rows.map(({ id }) => id), null] } },
    required: ['action'],
    additionalProperties: false,
  };
  return {
    model: { providerId: localProviderId, model },
    messages: [
      { role: 'system', content: rules(rows) },
      { role: 'user', content: line.slice(0, maxLineLength) },
    ],
    maxOutputTokens,
    responseFormat: { type: 'json', schema },
    background: true,
  };
}

/**
 * The action that a model on this computer takes a line for, chosen under a grammar; null when it chose none,
 * failed, or a reply of a conversation took its place. Nothing that routes a line uses it, and it starts nothing.
 */
export async function proposeAction(
  { stream }: Pick<ModelClient, 'stream'>,
  request: ModelRequest,
  all: readonly ProposableAction[],
): Promise<string | null> {
  let text = '';
  for await (const event of stream(request, new AbortController().signal)) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'error') return null;
  }
  try {
    const action = Reply.safeParse(JSON.parse(text)).data?.action;
    return all.find(({ id }) => id === action)?.id ?? null;
  } catch {
    return null;
  }
}
