const said = ' Whether it happened is unknown.';

/** What is said of a write whose end nobody saw, where its error stands alone. */
export function withUnseenEnd(message: string): string {
  return `${message}${said}`;
}

/** The same without it, for a place that asks how the write ended. */
export function withoutUnseenEnd(message: string): string {
  return message.endsWith(said) ? message.slice(0, -said.length) : message;
}
