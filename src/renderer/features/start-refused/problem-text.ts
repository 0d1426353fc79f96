import type { AppError, ConfigProblem } from '#shared/app-error';

/** The findings of one file, in their original order. */
export interface FileProblems {
  readonly file: string;
  readonly problems: readonly ConfigProblem[];
}

/** Groups findings by file, in the order in which the files first appear. */
export function byFile(problems: readonly ConfigProblem[]): readonly FileProblems[] {
  const files = new Map<string, ConfigProblem[]>();
  for (const problem of problems) {
    const known = files.get(problem.file);
    if (known) known.push(problem);
    else files.set(problem.file, [problem]);
  }
  return [...files].map(([file, found]) => ({ file, problems: found }));
}

/** The whole screen as text to share. */
export function problemText({ kind, code, message, hint, problems = [] }: AppError): string {
  const rows = problems.map(
    ({ file, field, rule, reason }) => `${file}\n  ${[field, rule].filter(Boolean).join(' · ')}: ${reason}`,
  );
  return [`${kind}/${code}: ${message}`, ...rows, ...(hint ? [hint] : [])].join('\n');
}

/** The packs that prevent the start, if nothing else is wrong. */
export function failingPacks(problems: readonly ConfigProblem[]): readonly string[] {
  const packs = problems.map(({ pack }) => pack);
  return packs.some((pack) => pack === undefined)
    ? []
    : [...new Set(packs.filter((pack) => pack !== undefined))];
}
