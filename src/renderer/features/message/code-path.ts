/** A relative path with an extension, such as `src/a.ts` or `Makefile.am`. */
const path = String.raw`(?:\./)?(?:[\w.@-]+/)*[\w.@-]+\.[A-Za-z0-9]{1,10}`;

/** In the info string of a fence: `ts src/a.ts`, `ts:src/a.ts`, `title="src/a.ts"` or the path alone. */
const inFence = new RegExp(String.raw`(?:^|[\s:="'{])(${path})(?=$|[\s"'}])`, 'u');
/** A comment that is the whole first line. */
const inComment = new RegExp(
  String.raw`^(?://|#|--|;|/\*|<!--)\s*(?:file(?:name)?:\s*)?(${path})\s*(?:\*/|-->)?$`,
  'iu',
);

/** The file that a model means for its code, as the fence or the first line names it; empty when neither does. */
export function pathOfCode(code: string, fence: string): string {
  const [firstLine = ''] = code.slice(0, 400).split('\n');
  const named = inFence.exec(fence.slice(0, 400)) ?? inComment.exec(firstLine.trim());
  return named?.[1]?.replace(/^\.\//, '') ?? '';
}
