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

export interface SnippetPart {
  readonly text: string;
  readonly match: boolean;
}

/** Splits a search hit at its marks: U+0001 before and U+0002 after each matched word. */
export function splitSnippet(snippet: string): readonly SnippetPart[] {
  const parts: SnippetPart[] = [];
  for (const [index, piece] of snippet.split('\u0001').entries()) {
    const end = index === 0 ? -1 : piece.indexOf('\u0002');
    if (end >= 0) parts.push({ text: piece.slice(0, end), match: true });
    const rest = piece.slice(end + 1).replaceAll('\u0002', '');
    if (rest !== '') parts.push({ text: rest, match: false });
  }
  return parts;
}
