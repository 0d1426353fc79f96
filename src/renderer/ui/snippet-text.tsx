import { splitSnippet } from './split-snippet';

/** The text around a match, with the matched words marked. */
export function SnippetText({ text }: { readonly text: string }) {
  return (
    <span dir="auto" className="line-clamp-2 text-muted">
      {splitSnippet(text).map((part, index) =>
        part.match ? (
          <mark key={index} className="rounded-sm bg-accent-soft text-accent-text">
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </span>
  );
}
