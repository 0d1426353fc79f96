import type { RecipeFinding } from '#shared/recipe-draft';
import { CircleAlert, Info } from 'lucide-react';

/** The problem with a field, and what to do about it. */
export function FindingLine({
  finding,
  id,
}: {
  readonly finding: RecipeFinding | undefined;
  readonly id?: string;
}) {
  if (!finding) return null;
  const { level, message, hint } = finding;
  const Icon = level === 'error' ? CircleAlert : Info;
  return (
    <p
      id={id}
      className={`mt-1 flex items-start gap-1.5 text-xs ${level === 'error' ? 'text-danger-text' : 'text-muted'}`}
    >
      <Icon aria-hidden className="mt-px size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {message} {hint}
      </span>
    </p>
  );
}
