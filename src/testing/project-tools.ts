import { z } from 'zod';
import type { JsonObject } from '#shared/json';
import { createProjectRoot } from '../project-server/project-root';
import { projectTools } from '../project-server/create-project-server';
import { createTimeGuard } from '../project-server/time-guard';
import { createInMemoryTools, type InMemoryTool } from './in-memory-tools';

/** The project server's own tools on a real folder, called without a process or protocol in between. */
export function createProjectTools(folder: string) {
  const root = createProjectRoot(folder);
  if (!root.ok) throw new Error(root.error.message);
  const guard = createTimeGuard();
  const rows = projectTools.map(({ name, description, input, run }): [string, InMemoryTool] => [
    `mcp://project.${name}`,
    {
      description,
      inputSchema: z.toJSONSchema(input, { io: 'input' }) as JsonObject,
      call: async (args, signal) => {
        const answer = await run(input.parse(args), { root: root.value, guard, signal });
        return answer.ok ? { ok: true, value: answer.value.structured } : answer;
      },
    },
  ]);
  return createInMemoryTools(Object.fromEntries(rows));
}
