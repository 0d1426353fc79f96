/** Files that connect a caller and a callee without an import between them. */
const CONTRACT =
  /^src[/](?:shared[/](?:ipc|sandbox-protocol|session-event)|(?:main|core)[/]ports[/]|sandbox-worker[/]vm[.]ts)/;

/**
 * The files of a walk that imports do not explain. A file is explained when it and an earlier file import
 * each other, when a third file imports both (composition passes one to the other), or when both import a
 * contract: a port, an engine, the window's calls, the sandbox's messages or a session's events.
 * @param {readonly string[]} walk
 * @param {ReadonlyMap<string, readonly string[]>} imports of every product file
 * @returns {string[]}
 */
export function straysOf(walk, imports) {
  const of = (/** @type {string} */ file) => imports.get(file) ?? [];
  const linked = (/** @type {string} */ a, /** @type {string} */ b) =>
    of(a).includes(b) ||
    of(b).includes(a) ||
    of(a).some((name) => CONTRACT.test(name) && of(b).includes(name)) ||
    [...imports.values()].some((names) => names.includes(a) && names.includes(b));
  return walk.filter(
    (file, index) => index > 0 && !walk.slice(0, index).some((earlier) => linked(file, earlier)),
  );
}

/**
 * What makes a walk wrong: files that do not exist; if all exist, files that nothing before them leads to.
 * @param {readonly string[]} walk
 * @param {ReadonlyMap<string, readonly string[]>} imports of every product file
 * @returns {string[]} one message per file
 */
export function walkProblems(walk, imports) {
  const missing = walk.filter((file) => !imports.has(file));
  if (missing.length > 0)
    return missing.map((file) => `scripts/lib/walks.json names ${file}, which does not exist.`);
  return straysOf(walk, imports).map(
    (file) => `scripts/lib/walks.json: no import links ${file} to a file before it. Add the file between.`,
  );
}
