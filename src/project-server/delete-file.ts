import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { fileError } from './file-problem';
import { quoted } from './path-rules';
import { projectTool, type ToolAnswer, type ToolContext } from './tool';

const input = z.strictObject({
  path: z.string().min(1).max(4_096),
});

const output = z.object({ size: z.number().int().nonnegative() });

/** Deletes one regular file; the server's only tool that writes. */
export const deleteFile = projectTool({
  name: 'delete_file',
  title: 'Delete file',
  description: 'Not folders.',
  input,
  output,
  writes: true,
  run,
});

const refused = (text: string, what: string): Result<never> =>
  err(appError('TOOL', 'INVALID_ARGUMENTS', `${quoted(text)} is ${what}.`));

async function run(
  { path: named }: z.output<typeof input>,
  { root }: ToolContext,
): Promise<Result<ToolAnswer<z.input<typeof output>>>> {
  const place = root.locate(named);
  if (!place.ok) return place;
  const { absolute, relative } = place.value;
  try {
    // `absolute` follows links, so a link shows in the path as it was named.
    const written = path.join(root.path, relative);
    if ((await lstat(written)).isSymbolicLink()) return refused(named, 'a link, not a file');
    const stat = await lstat(absolute);
    if (stat.isDirectory()) return refused(named, 'a folder, not a file');
    if (!stat.isFile()) return refused(named, 'not a regular file');
    await rm(absolute);
    return ok({
      structured: { size: stat.size },
      text: `Deleted ${relative} (${stat.size} bytes).`,
    });
  } catch (error) {
    return err(fileError(named, error));
  }
}
