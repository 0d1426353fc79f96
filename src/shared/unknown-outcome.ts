const unknownOutcomeNote = ' Whether it happened is unknown.';

/** Appends the note that the outcome of a write is unknown. */
export function withUnknownOutcome(message: string): string {
  return `${message}${unknownOutcomeNote}`;
}

/** Removes that note, for a view that asks the user for the outcome. */
export function withoutUnknownOutcome(message: string): string {
  return message.endsWith(unknownOutcomeNote) ? message.slice(0, -unknownOutcomeNote.length) : message;
}
