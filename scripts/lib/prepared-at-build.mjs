import path from 'node:path';
import { runnerImport } from 'vite';

const PREPARED = /^(.+)\?prepared$/;

/**
 * `import value from './module?prepared'` returns the result of the module's `prepare`, computed at build
 * time and stored as JSON: for work with the same result on every machine that would slow each start.
 * @returns {import('vite').Plugin}
 */
export function preparedAtBuild() {
  return {
    name: 'prepared-at-build',
    enforce: 'pre',
    resolveId(source, importer = '') {
      const [, name] = PREPARED.exec(source) ?? [];
      return name === undefined ? null : `\0${path.resolve(path.dirname(importer), name)}.ts?prepared`;
    },
    async load(id) {
      const [, file] = PREPARED.exec(id) ?? [];
      if (file === undefined) return null;
      const { module } = await runnerImport(file.slice(1), { configFile: false, logLevel: 'error' });
      const { prepare } = /** @type {{ prepare: () => Promise<unknown> }} */ (module);
      return `export default ${JSON.stringify(await prepare())};`;
    },
  };
}
