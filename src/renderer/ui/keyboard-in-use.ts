/** True while the user is typing or a dialog is open: a card must not take the focus then. */
export function isKeyboardInUse(): boolean {
  const active = document.activeElement;
  if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) return active.value !== '';
  if (active instanceof HTMLElement && active.isContentEditable) return active.textContent !== '';
  return document.querySelector('[role="dialog"], dialog[open]') !== null;
}
