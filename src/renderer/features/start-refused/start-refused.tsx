import type { AppError, ConfigProblem } from '#shared/app-error';
import { Copy, Package, TriangleAlert } from 'lucide-react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { formatList } from '../../ui/format';

/** The findings of one file, in their original order. */
interface FileProblems {
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

function ProblemRow({ problem }: { readonly problem: ConfigProblem }) {
  return (
    <li className="px-3 py-2 text-sm">
      <p dir="auto" className="wrap-anywhere">
        {problem.reason}
      </p>
      <p className="mt-0.5 font-mono text-2xs text-muted wrap-anywhere">
        {[problem.field, problem.rule].filter(Boolean).join(' · ')}
      </p>
    </li>
  );
}

function FileCard({ file, problems }: FileProblems) {
  return (
    <section aria-label={file} className="rounded-lg border border-line">
      <h2 className="border-b border-line px-3 py-2 font-mono text-xs wrap-anywhere">{file}</h2>
      <ul className="divide-y divide-line">
        {problems.map((problem, index) => (
          <ProblemRow key={index} problem={problem} />
        ))}
      </ul>
    </section>
  );
}

function NextSteps({ error }: { readonly error: AppError }) {
  const commands = useCommands();
  const packs = failingPacks(error.problems ?? []);
  const names = formatList(packs.map((words) => text('shared.quoted', { words })));
  return (
    <div className="flex flex-wrap gap-2">
      {packs.length > 0 && (
        <Button tone="primary" onClick={() => void commands.restartWithout(packs)}>
          <Package aria-hidden size={14} />
          {text('startRefused.withoutPack', { count: packs.length, packs: names })}
        </Button>
      )}
      <Button onClick={() => void commands.copy(problemText(error))}>
        <Copy aria-hidden size={14} /> {text('shared.copy')}
      </Button>
      <Button onClick={() => void commands.quit()}>{text('startRefused.quit')}</Button>
    </div>
  );
}

/** The window's content if Patina refused to start: every finding, and the next steps. Nothing else runs. */
export function StartRefused({ error }: { readonly error: AppError }) {
  const problems = error.problems ?? [];
  return (
    <main className="readable h-full overflow-y-auto bg-canvas">
      <div className="mx-auto flex max-w-column flex-col gap-4 px-5 py-12">
        <div className="flex items-start gap-3">
          <TriangleAlert aria-hidden size={22} className="mt-0.5 shrink-0 text-danger-text" />
          <div>
            <h1 className="text-lg font-semibold">{text('startRefused.title')}</h1>
            <p className="mt-1 text-sm text-muted">
              {problems.length === 0 ? error.message : text('startRefused.about')}
            </p>
          </div>
        </div>
        {byFile(problems).map((row) => (
          <FileCard key={row.file} {...row} />
        ))}
        <p className="text-sm text-muted">{error.hint ?? text('startRefused.hint')}</p>
        <NextSteps error={error} />
        <p className="font-mono text-2xs text-muted">
          {error.kind}/{error.code}
        </p>
      </div>
    </main>
  );
}
