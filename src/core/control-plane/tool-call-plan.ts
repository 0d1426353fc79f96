import type { CommandDefinition } from '#shared/command';
import type { JsonObject } from '#shared/json';
import type { Plan } from '#shared/plan';
import { parseToolUri, scriptName } from '#shared/tool-name';

const code = (call: string): string =>
  `const result = await ${call}(params.arguments);
const text = typeof result === 'string' ? result : JSON.stringify(result, null, 2);
return { summary: text.slice(0, 200), state: { text: text.slice(0, 1500) } };`;

/**
 * Builds a plan of one node for a command with a server tool, so that it passes the gate and asks for
 * approval as any script's call does.
 */
export function toolCallPlan(command: CommandDefinition, args: JsonObject): Plan | null {
  const parts = parseToolUri(command.toolName);
  if (!parts) return null;
  const call = `tools.${scriptName(parts.server)}.${scriptName(parts.tool)}`;
  const node = {
    id: 'call',
    title: command.displayName,
    kind: 'script' as const,
    deps: [],
    tools: [command.toolName],
    params: { arguments: args },
    code: code(call),
  };
  return { goal: command.displayName, constraints: [], nodes: [node], answer: '{{call.text}}' };
}
