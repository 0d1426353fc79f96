import { visibleControls } from '#shared/direction-controls';

/**
 * The beginning of an untrusted text: a name of many kilobytes is cut before it reaches the page. What would
 * draw it in another order is visible.
 */
export function shortText(text: string, length: number): string {
  if (text.length <= length) return visibleControls(text);
  // Do not split a surrogate pair.
  const end =
    text.charCodeAt(length - 1) >= 0xd800 && text.charCodeAt(length - 1) <= 0xdbff ? length - 1 : length;
  return `${visibleControls(text.slice(0, end))}…`;
}
