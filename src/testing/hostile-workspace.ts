import { once } from 'node:events';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { workspaceLimits } from '../core/workspace/workspace-limits';

// The files of Patina's own workspace, and those added beside them.
export const index = 'agent.workspace.json';
export const packFile = 'prompts/packs/default.json';
export const catalogFile = 'tools/catalogs/default.json';
export const template = 'prompts/templates/system.base.md';
export const descriptorFile = 'tools/descriptors/x.json';
export const picture = 'context/images/a.png';

/** The header of a PNG file that claims this size. */
export const png = (width: number, height: number): Uint8Array => {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([header, size, Buffer.alloc(16)]);
};

export const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** Creates a socket at a path. */
export const listenAt = async (file: string): Promise<void> => {
  const server = createServer().listen(file);
  await once(server, 'listening');
  server.unref();
};

/** Corrupts a good workspace below `root`. */
export function createHostileWorkspace(root: string) {
  const at = (path: string): string => join(root, path);
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), content);
  };
  const json = (path: string, value: unknown): void => write(path, JSON.stringify(value));

  const pack = (more: object): void => json(packFile, { id: 'default', templates: [template], ...more });
  const naming = (path: string): void => pack({ templates: [path] });
  const describing = (more: object): void => {
    json(catalogFile, { id: 'default', tools: [descriptorFile] });
    json(descriptorFile, {
      name: 'agent_x',
      description: 'Does x.',
      parameters: { type: 'object' },
      ...more,
    });
  };
  const showing = (bytes: Uint8Array): void => {
    pack({ context: [picture] });
    write(picture, bytes);
  };
  const indexWith = (more: object): void =>
    json(index, {
      schema: 'agent.workspace',
      version: 1,
      promptPacks: { default: packFile },
      toolCatalogs: { default: catalogFile },
      defaults: { promptPack: 'default', toolCatalog: 'default' },
      ...more,
    });

  const replaceBy = (path: string, make: (file: string) => void): void => {
    rmSync(at(path), { recursive: true });
    make(at(path));
  };
  /** Writes catalogs that name more files than a workspace may have. */
  const manyFiles = (): void => {
    const tools = Array.from({ length: 2_100 }, (_, n) => `tools/descriptors/d${n}.json`);
    json('tools/catalogs/a.json', { id: 'a', tools });
    json('tools/catalogs/b.json', { id: 'b', tools: tools.map((file) => file.replace('/d', '/e')) });
    indexWith({
      toolCatalogs: { default: catalogFile, a: 'tools/catalogs/a.json', b: 'tools/catalogs/b.json' },
    });
  };
  const manyPictures = (): void => {
    const files = Array.from({ length: 9 }, (_, n) => `context/images/${n}.png`);
    pack({ context: files });
    for (const file of files) {
      write(file, '');
      truncateSync(at(file), workspaceLimits.imageBytes);
    }
  };

  return {
    at,
    write,
    json,
    pack,
    naming,
    describing,
    showing,
    indexWith,
    replaceBy,
    manyFiles,
    manyPictures,
  };
}
export type HostileWorkspace = ReturnType<typeof createHostileWorkspace>;

/** An invalid workspace, and the location that the error must report. */
export type HostileCase = readonly [
  name: string,
  make: (workspace: HostileWorkspace) => void | Promise<void>,
  expected: { readonly file: string; readonly field?: string; readonly rule: string },
];
