/**
 * Replaces a part of a text field in a way its own undo knows, and tells React. `execCommand` is old, and still the only
 * way to change a field without losing what can be undone.
 */
export function editField(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.focus();
  field.setSelectionRange(start, end);
  const { execCommand } = document as { execCommand?: Document['execCommand'] };
  const done = execCommand?.call(document, text === '' ? 'delete' : 'insertText', false, text) ?? false;
  if (done) return;
  field.setRangeText(text, start, end, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
