/**
 * Replaces a range of a text field so that the field's own undo can revert it, and notifies React.
 * `execCommand` is deprecated, but it is the only way to change a field without losing its undo history.
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
