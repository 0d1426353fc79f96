import { useEffect, useRef, useState } from 'react';

/** What is wrong with one field of a form, in a sentence. */
export interface FieldProblem<Name extends string> {
  readonly field: Name;
  readonly problem: string;
}

/** The problems to show at a field. */
export type ProblemsOf<Name extends string> = (field: Name) => readonly string[];

/** The problem of a form that was sent; its field gets the focus, also in a closed part of the form. */
export function useFieldProblem<Name extends string>() {
  const [problem, setProblem] = useState<FieldProblem<Name> | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const field = problem && form.current?.querySelector<HTMLElement>('[aria-invalid]');
    if (!field) return;
    const folded = field.closest('details');
    if (folded) folded.open = true;
    field.focus();
  }, [problem]);
  const problemsOf: ProblemsOf<Name> = (field) => (problem?.field === field ? [problem.problem] : []);
  return { form, problemsOf, setProblem };
}
