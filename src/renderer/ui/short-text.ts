/** The beginning of an untrusted text: a name of many kilobytes is cut before it reaches the page. */
export function shortText(text: string, length: number): string {
  if (text.length <= length) return text;
  // Do not split a surrogate pair.
  const end =
    text.charCodeAt(length - 1) >= 0xd800 && text.charCodeAt(length - 1) <= 0xdbff ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}
