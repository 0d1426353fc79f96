const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
/** Where Unicode has the pictures of control characters. */
const pictures = 0x2400;
const pictureOfDelete = '\u2421';

/**
 * Text as a terminal may be given it: characters that would move its cursor, colour or rename it, write its clipboard or
 * turn the direction of what follows are shown as their pictures. Line ends and tabs stay.
 */
export function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(controls, (one) => {
    const code = one.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(pictures + code);
    return code === 0x7f ? pictureOfDelete : '\uFFFD';
  });
}
