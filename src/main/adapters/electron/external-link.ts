import { domainToUnicode } from 'node:url';
import { dialog, shell, type BrowserWindow } from 'electron';
import { nativeTexts } from './native-texts';

export interface ExternalLink {
  readonly href: string;
  /** The host as the network resolves it: punycode stays punycode. */
  readonly host: string;
  /** The host decoded to Unicode, when that differs. */
  readonly looksLike?: string;
}

/** Accepts only links that may leave the app: http or https, with a host and without credentials. */
export function checkLink(url: string): ExternalLink | null {
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  const web = parsed.protocol === 'https:' || parsed.protocol === 'http:';
  if (!web || parsed.hostname === '' || parsed.username !== '' || parsed.password !== '') return null;
  const letters = domainToUnicode(parsed.hostname);
  return {
    href: parsed.href,
    host: parsed.host,
    ...(letters !== parsed.hostname && letters !== '' ? { looksLike: letters } : {}),
  };
}

/**
 * Asks in a native dialog, which no page can imitate or answer, and opens the browser only after the user
 * agrees.
 */
export async function openLink(window: BrowserWindow, url: string): Promise<boolean> {
  const link = checkLink(url);
  if (!link) return false;
  const { link: texts, cancel } = nativeTexts();
  const warning = link.looksLike ? `\n\n${texts.looksLike(link.looksLike)}` : '';
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: texts.question(link.host),
    detail: `${link.href.slice(0, 1_000)}${warning}`,
    buttons: [texts.open, cancel],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  if (response !== 0) return false;
  await shell.openExternal(link.href);
  return true;
}

/** Opens a page of a sign-in; its host was shown in the window, where the user agreed to it. */
export async function openPage(url: string): Promise<void> {
  const link = checkLink(url);
  if (link) await shell.openExternal(link.href);
}
