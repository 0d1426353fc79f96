import type { JsonObject } from '#shared/json';
import type { Plan } from '#shared/plan';
import { parseToolUri, scriptName } from '#shared/tool-name';

const callCode = (call: string): string =>
  `const result = await ${call}(params.arguments);
const text = typeof result === 'string' ? result : JSON.stringify(result, null, 2);
return { summary: text.slice(0, 200), state: { text: text.slice(0, 1500) } };`;

/**
 * Builds a plan of one node that calls a server's tool, so that the call passes the gate and asks for approval as any
 * script's call does. Null for anything that is not the URI of a tool.
 */
export function toolCallPlan(uri: string, title: string, args: JsonObject): Plan | null {
  const parts = parseToolUri(uri);
  if (!parts) return null;
  const call = `tools.${scriptName(parts.server)}.${scriptName(parts.tool)}`;
  const node = {
    id: 'call',
    title,
    kind: 'script' as const,
    deps: [],
    tools: [uri],
    params: { arguments: args },
    code: callCode(call),
  };
  return { goal: title, constraints: [], nodes: [node], answer: '{{call.text}}' };
}
