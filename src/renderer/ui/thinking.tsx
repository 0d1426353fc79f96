import { ChevronRight } from 'lucide-react';

/** What a model thinks or thought: one muted line, and its words on demand. They are data: plain text. */
export function Thinking({ label, words }: { readonly label: string; readonly words: string }) {
  return (
    <details className="group/thinking">
      <summary className="-ms-1.5 flex min-h-6 w-fit max-w-full cursor-default list-none items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text">
        <ChevronRight aria-hidden className="size-3.5 shrink-0 group-open/thinking:rotate-(--quarter-turn)" />
        <span className="numbers min-w-0 wrap-anywhere">{label}</span>
      </summary>
      <div
        dir="auto"
        className="mt-1 max-h-80 overflow-y-auto border-s-2 border-line ps-3 text-sm wrap-anywhere whitespace-pre-wrap text-muted"
      >
        {words}
      </div>
    </details>
  );
}
