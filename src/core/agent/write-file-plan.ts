import { appError } from '#shared/app-error';
import type { Plan } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';

/** Writes `params.content`; a folder that does not exist yet is created first, each with an approval of its own. */
const code = `const { path, folder, content } = params;
if (folder !== '') {
  const exists = await tools.filesystem.get_file_info({ path: folder }).then(() => true, () => false);
  if (!exists) await tools.filesystem.create_directory({ path: folder });
}
await tools.filesystem.write_file({ path, content });
return { summary: \`\${path} was written.\`, state: { path } };`;

/**
 * The plan that writes a text to a file of the project, so that the write passes the gate, shows its difference,
 * asks, and can be undone. `path`: relative to the project folder, with `/`. Errors: HOST/INVALID_INPUT for a
 * path that leads out of the project or names no file.
 */
export function writeFilePlan(path: string, content: string): Result<Plan> {
  if (/^(?:[/~\\]|[A-Za-z]:)/.test(path) || path.split(/[/\\]/).includes('..')) {
    const hint = 'Give a path below the project folder, such as src/index.ts.';
    return err(appError('HOST', 'INVALID_INPUT', `${path} is outside the project folder.`, { hint }));
  }
  if (path.endsWith('/')) return err(appError('HOST', 'INVALID_INPUT', `${path} is a folder, not a file.`));
  const goal = `Write ${path}`;
  const node = {
    id: 'write',
    title: goal,
    kind: 'script' as const,
    deps: [],
    tools: [
      'mcp://filesystem.get_file_info',
      'mcp://filesystem.create_directory',
      'mcp://filesystem.write_file',
    ],
    params: { path, folder: path.slice(0, Math.max(0, path.lastIndexOf('/'))), content },
    code,
  };
  return ok({ goal, constraints: [], nodes: [node], answer: 'Wrote {{write.path}}.' });
}
