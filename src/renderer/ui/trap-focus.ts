const focusable = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]';

/** Attributes whose change can take the focus from an element; a class can hide it. */
const hiding = ['disabled', 'hidden', 'inert', 'class'];

function canHaveFocus(element: HTMLElement): boolean {
  const able = element.isConnected && element.matches(focusable) && !element.matches(':disabled');
  return (
    able &&
    element.closest('[inert], [hidden]') === null &&
    element.checkVisibility({ visibilityProperty: true })
  );
}

/** An element and its ancestors up to the dialog, nearest first. */
function ancestorsOf(element: HTMLElement, dialog: HTMLElement): readonly HTMLElement[] {
  const ancestors: HTMLElement[] = [];
  for (let at: HTMLElement | null = element; at && at !== dialog; at = at.parentElement) ancestors.push(at);
  return ancestors;
}

function firstControl(within: HTMLElement): HTMLElement | null {
  const inside = [...within.querySelectorAll<HTMLElement>(focusable)];
  return inside.find((element) => element.tabIndex >= 0 && canHaveFocus(element)) ?? null;
}

const containsElement = (nodes: NodeList, element: HTMLElement) =>
  [...nodes].some((node) => node.contains(element));

/** Whether these changes took the focus from the last focused element. */
function isLost(last: HTMLElement, changes: readonly MutationRecord[]): boolean {
  const active = document.activeElement;
  if (!canHaveFocus(last)) return active === null || active === document.body || active === last;
  // A click on plain text also focuses the body, which is intended; a moved element is removed and added
  // again.
  return active === document.body && changes.some(({ removedNodes }) => containsElement(removedNodes, last));
}

/**
 * The next element to focus: the lost one if it is back, its container (such as a tab panel), else a control
 * near it.
 */
function successor(ancestors: readonly HTMLElement[], dialog: HTMLElement): HTMLElement {
  const around = ancestors.find(canHaveFocus);
  if (around) return around;
  for (const place of ancestors.slice(1).filter(({ isConnected }) => isConnected)) {
    const near = firstControl(place);
    if (near) return near;
  }
  const preferred = dialog.querySelector<HTMLElement>('[data-autofocus]');
  return preferred && canHaveFocus(preferred) ? preferred : (firstControl(dialog) ?? dialog);
}

/**
 * Keeps the focus inside a dialog when the focused element is removed, hidden or disabled. Otherwise the
 * platform moves the focus to the body behind the dialog, where no key works and the focus is invisible. An
 * element that was disabled only temporarily gets the focus back unless the user has moved on. Does nothing
 * in a dialog below another one, because nothing there can be focused.
 *
 * @returns the function that stops it.
 */
export function trapFocus(dialog: HTMLElement): () => void {
  let ancestors: readonly HTMLElement[] = [];
  let lent: { readonly from: HTMLElement; readonly to: HTMLElement } | null = null;
  const remember = ({ target }: { readonly target: EventTarget | null }) => {
    if (target instanceof HTMLElement && dialog.contains(target)) ancestors = ancestorsOf(target, dialog);
  };
  const forgetLoan = () => (lent = null);
  const restore = (changes: readonly MutationRecord[]) => {
    const active = document.activeElement;
    if (lent && active === lent.to && canHaveFocus(lent.from)) return lent.from.focus();
    const [last] = ancestors;
    if (!last || !isLost(last, changes)) return;
    const to = successor(ancestors, dialog);
    to.focus({ preventScroll: to.contains(last) });
    lent = last === to ? null : { from: last, to };
  };
  remember({ target: document.activeElement });
  const watch = new MutationObserver(restore);
  watch.observe(dialog, { childList: true, subtree: true, attributeFilter: hiding });
  dialog.addEventListener('focusin', remember);
  dialog.addEventListener('keydown', forgetLoan);
  dialog.addEventListener('pointerdown', forgetLoan);
  return () => {
    watch.disconnect();
    dialog.removeEventListener('focusin', remember);
    dialog.removeEventListener('keydown', forgetLoan);
    dialog.removeEventListener('pointerdown', forgetLoan);
  };
}
