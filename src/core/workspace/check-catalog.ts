import type { z } from 'zod';
import { schemaProblem } from '#shared/schema-guard';
import { bytesOf, checkSpoofing, type Checking } from './check-pack';
import { parseFile, problem } from './parse-file';
import { isDescriptorFile } from './references';
import type { ToolCatalog } from './workspace-content';
import { indexFile, workspaceLimits } from './workspace-limits';
import { ToolCatalogFile, ToolDescriptor } from './workspace-schemas';

/** Tool names and patterns that match them: of one server, of all servers, or of the host's own tools. */
const pattern = /^(mcp:\/\/[A-Za-z0-9_.*-]+|[a-z*][a-z0-9_*]{0,63})$/;

/** Parses a descriptor file and checks that its schema is usable. */
export function checkDescriptor<S extends z.ZodType<ToolDescriptor>>(
  checking: Checking,
  file: string,
  bytes: Uint8Array,
  schema: S,
): readonly ToolDescriptor[] {
  const parsed = parseFile(file, bytes, schema);
  if (!parsed.ok) {
    checking.problems.push(...parsed.error);
    return [];
  }
  const { name, description, parameters } = parsed.value;
  const size = JSON.stringify(parameters).length;
  const fault =
    size > workspaceLimits.schemaBytes
      ? `is larger than ${workspaceLimits.schemaBytes / 1_024} kB.`
      : schemaProblem(parameters);
  if (fault !== null) {
    const rule = size > workspaceLimits.schemaBytes ? 'size' : 'schema';
    checking.problems.push(problem(file, 'parameters', rule, `The tool's schema ${fault}`));
  }
  checkSpoofing(checking, file, 'description', description);
  return [{ name, description, parameters }];
}

/**
 * Rejects two descriptors of one catalog for the same tool, because it would be unclear which one the model
 * reads.
 */
function repeatedNames(
  { problems }: Checking,
  file: string,
  found: readonly (readonly [file: string, descriptor: ToolDescriptor])[],
): void {
  const owners = new Map<string, string>();
  for (const [place, { name }] of found) {
    const other = owners.get(name);
    if (other !== undefined && other !== place) {
      const reason = `"${name}" is described by ${other} and by ${place}.`;
      problems.push(problem(file, 'tools', 'duplicate-id', reason));
    }
    owners.set(name, place);
  }
}

/** Reads a catalog file with the descriptors it names; adds problems to `checking`. */
export function checkCatalog(checking: Checking, id: string, file: string): ToolCatalog | null {
  const bytes = bytesOf(checking, file, indexFile, `toolCatalogs.${id}`);
  const parsed = bytes && parseFile(file, bytes, ToolCatalogFile);
  if (!parsed) return null;
  if (!parsed.ok) {
    checking.problems.push(...parsed.error);
    return null;
  }
  const catalog = parsed.value;
  if (catalog.id !== id) {
    const reason = `The index calls this catalog "${id}", the file "${catalog.id}".`;
    checking.problems.push(problem(file, 'id', 'id', reason));
  }
  const found = catalog.tools.flatMap((entry, at) => {
    if (!isDescriptorFile(entry)) return [];
    const content = bytesOf(checking, entry, file, `tools.${at}`);
    const read = content ? checkDescriptor(checking, entry, content, ToolDescriptor) : [];
    return read.map((descriptor) => [entry, descriptor] as const);
  });
  repeatedNames(checking, file, found);
  const patterns = catalog.tools.filter((entry) => !isDescriptorFile(entry));
  for (const entry of patterns.filter((each) => !pattern.test(each))) {
    const reason = `"${entry}" is not a descriptor file, a tool's name or a pattern such as mcp://*.`;
    checking.problems.push(problem(file, 'tools', 'pattern', reason));
  }
  const descriptors = found.map(([, descriptor]) => descriptor);
  return { id, file, tools: [...patterns, ...descriptors.map(({ name }) => name)], descriptors };
}
