const focusable = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]';

/** Attributes whose change can take the focus away from what has it; a class may hide it. */
const hiding = ['disabled', 'hidden', 'inert', 'class'];

function canHaveFocus(element: HTMLElement): boolean {
  const able = element.isConnected && element.matches(focusable) && !element.matches(':disabled');
  return (
    able &&
    element.closest('[inert], [hidden]') === null &&
    element.checkVisibility({ visibilityProperty: true })
  );
}

/** An element and those around it up to the dialog, nearest first. */
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

/** Whether these changes took the focus from what had it last. */
function isLost(last: HTMLElement, changes: readonly MutationRecord[]): boolean {
  const active = document.activeElement;
  if (!canHaveFocus(last)) return active === null || active === document.body || active === last;
  // After a click on plain text the body has the focus as well, and that is meant; what is moved is removed and put back.
  return active === document.body && changes.some(({ removedNodes }) => containsElement(removedNodes, last));
}

/** Who takes over: the lost one if it came back, what it stood in (a tab's panel), else a control near it. */
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
 * Keeps the focus inside a dialog when what has it is removed, hidden or disabled. The platform lets it fall to the body
 * behind the dialog, where no key does anything and nobody sees it. Something that is only disabled for a while has it
 * back, unless the user has gone on meanwhile. In a dialog below another one nothing can be focused, so this does nothing.
 *
 * @returns what ends it.
 */
export function keepFocusInside(dialog: HTMLElement): () => void {
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
