import type { ReactNode } from 'react';

/** A named part of a node's drawer. */
export function Section({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section className="mt-5">
      <h4 className="numbers mb-1.5 flex items-baseline gap-2 text-xs font-medium text-muted">
        <span>{title}</span>
        {note !== undefined && <span className="font-normal">{note}</span>}
      </h4>
      {children}
    </section>
  );
}
