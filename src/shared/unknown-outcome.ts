const unknownOutcomeNote = ' Whether it happened is unknown.';

/** What is said of a write whose end nobody saw, where its error stands alone. */
export function withUnknownOutcome(message: string): string {
  return `${message}${unknownOutcomeNote}`;
}

/** The same without it, for a place that asks how the write ended. */
export function withoutUnknownOutcome(message: string): string {
  return message.endsWith(unknownOutcomeNote) ? message.slice(0, -unknownOutcomeNote.length) : message;
}
