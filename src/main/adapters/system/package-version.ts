import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const PackageFile = z.object({ version: z.string() });

/** The version in the package file at `root`: the project's, or the packaged app's own. */
export function packageVersion(root: string): string {
  return PackageFile.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).version;
}
