/** More of them in one line cost more steps than the depth of a path to the power of three. */
const maxInnerGlobstars = 2;

/** How often a line matches any number of folders between two others; leading ones cost nothing. */
function innerGlobstars(line: string): number {
  const pattern = line.replace(/^!?\/?(?:\*{2,}\/)*/, '');
  return pattern.match(/\/\*{2,}(?=\/)/g)?.length ?? 0;
}

/**
 * The text of an ignore file without the lines that a backtracking engine could need hours for: each inner
 * globstar multiplies the steps by the depth of a path. A line that is left out ignores nothing.
 */
export function usableIgnoreLines(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => innerGlobstars(line) <= maxInnerGlobstars)
    .join('\n');
}
