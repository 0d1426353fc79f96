import path from 'node:path';
import ts from 'typescript';
import { ROOT } from './paths.mjs';
import { resolveImport } from './source-graph.mjs';

/**
 * The sources below `src` without their tests, with some files changed in memory, to type-check a change that is never written.
 * Parses unchanged files once.
 */
export function createScratchSources() {
  const config = ts.getParsedCommandLineOfConfigFile(path.join(ROOT, 'tsconfig.json'), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  });
  if (!config) throw new Error('tsconfig.json could not be read.');
  const options = { ...config.options, skipDefaultLibCheck: true };
  const rootNames = config.fileNames.filter((file) => /^src\/(?!.*[.]test[.])/.test(relative(file)));
  const known = new Set(rootNames.map(relative));
  const host = ts.createCompilerHost(options);
  const { readFile, getSourceFile } = host;
  /** @type {Map<string, import('typescript').SourceFile | undefined>} */
  const parsed = new Map();
  /** @type {Readonly<Record<string, string>>} */
  let changed = {};
  const changedText = (/** @type {string} */ file) => changed[relative(file)];
  host.readFile = (file) => changedText(file) ?? readFile(file);
  host.getSourceFile = (file, languageVersion) => {
    const text = changedText(file);
    if (text !== undefined) return ts.createSourceFile(file, text, languageVersion);
    if (!parsed.has(file)) parsed.set(file, getSourceFile(file, languageVersion));
    return parsed.get(file);
  };
  /** @type {import('typescript').Program | undefined} */
  let program;

  /** The files that import one of these. */
  const importersOf = (/** @type {readonly string[]} */ files) =>
    [...known].filter((file) => {
      const text = parsed.get(path.join(ROOT, file))?.text ?? '';
      return ts
        .preProcessFile(text, true, true)
        .importedFiles.some(({ fileName }) => files.includes(resolveImport(file, fileName, known) ?? ''));
    });

  return {
    /**
     * The type errors of a change as `file: message`; by default of the changed files and those that import
     * them.
     * @param {Readonly<Record<string, string>>} files new texts, by path from the root
     * @param {readonly string[]} [only] the files to check
     */
    check(files, only) {
      changed = files;
      program = ts.createProgram({ rootNames, options, host, ...(program && { oldProgram: program }) });
      const changedFiles = Object.keys(files);
      const affected = only ?? new Set([...changedFiles, ...importersOf(changedFiles)]);
      return [...affected].flatMap((file) =>
        (program?.getSemanticDiagnostics(program.getSourceFile(path.join(ROOT, file))) ?? []).map(
          ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
        ),
      );
    },
  };
}

/** @param {string} file */
const relative = (file) => path.relative(ROOT, file).replaceAll('\\', '/');
