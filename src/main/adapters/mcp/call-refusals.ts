import { appError, type AppError } from '#shared/app-error';

/** The definition that was judged is not the one its server gives now. */
export function toolChanged(tool: string): AppError {
  const hint = 'Look at the change and accept it, then run it again.';
  return appError('POLICY', 'TOOL_CHANGED', `${tool} changed while it was in use.`, { tool, hint });
}

/** A name the server does not list. */
export function unknownTool(server: string, tool: string): AppError {
  return appError('TOOL', 'NOT_FOUND', `Server "${server}" has no tool "${tool}".`, {
    tool: `mcp://${server}.${tool}`,
  });
}
