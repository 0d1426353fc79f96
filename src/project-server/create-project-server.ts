import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { appError, type AppError } from '#shared/app-error';
import type { ProjectRoot } from './project-root';
import { createTimeGuard, type TimeGuard } from './time-guard';
import type { AnyProjectTool } from './tool';
import { deleteFile } from './delete-file';
import { findDuplicates } from './find-duplicates';
import { gitBlame } from './git/git-blame';
import { gitDiff } from './git/git-diff';
import { gitLog } from './git/git-log';
import { gitStatus } from './git/git-status';
import { hashFiles } from './hash-files';
import { listFiles } from './list-files';
import { readText } from './read-text';
import { searchText } from './search-text';

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };

/** The MCP server of one folder, ready to connect to any transport. */
export function createProjectServer(root: ProjectRoot, version: string): McpServer {
  const server = new McpServer({ name: 'project', title: 'Project files', version });
  const guard = createTimeGuard();
  for (const tool of projectTools) register(server, tool, root, guard);
  return server;
}

function register(server: McpServer, tool: AnyProjectTool, root: ProjectRoot, guard: TimeGuard): void {
  const { name, title, description, input, output, writes } = tool;
  const annotations = writes ? WRITES : READS;
  const declared = { title, description, inputSchema: input, outputSchema: output, annotations };
  server.registerTool(name, declared, async (args, { signal }): Promise<CallToolResult> => {
    try {
      const answer = await tool.run(args, { root, guard, signal });
      if (!answer.ok) return failure(answer.error);
      return {
        content: [{ type: 'text', text: answer.value.text }],
        structuredContent: answer.value.structured,
      };
    } catch (error) {
      if (signal.aborted) return failure(appError('HOST', 'CANCELLED', 'Cancelled.'));
      throw error;
    }
  });
}

/** The message is for people, the code for programs that know it. */
function failure(error: AppError): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: error.message }],
    _meta: { 'patina/code': error.code },
  };
}

/** Every tool of the server, one row each; all but `delete_file` only read. */
export const projectTools: readonly AnyProjectTool[] = [
  listFiles,
  hashFiles,
  findDuplicates,
  searchText,
  readText,
  gitStatus,
  gitDiff,
  gitLog,
  gitBlame,
  deleteFile,
];
