import type { Result } from '#shared/result';
import { createProjectRoot } from '../project-server/project-root';
import { createTimeGuard } from '../project-server/time-guard';
import type { AnyProjectTool } from '../project-server/tool';

/** Runs one tool of the project server in this process and applies both of its schemas as the server does. */
export async function runProjectTool(
  tool: AnyProjectTool,
  folder: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Result<unknown>> {
  const root = createProjectRoot(folder);
  if (!root.ok) return root;
  const input = tool.input.parse(args);
  const answer = await tool.run(input, { root: root.value, guard: createTimeGuard(), signal });
  return answer.ok ? { ok: true, value: tool.output.parse(answer.value.structured) } : answer;
}
