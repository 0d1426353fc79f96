import { app, session, type Session, type WebContents } from 'electron';

/** The only origin that the window shows. */
export const appOrigin = 'app://patina';

/** No inline scripts and nothing remote: the page can load its own files and nothing else. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** For the page that draws diagrams: a drawing brings its own style sheet. It has nothing else of its own. */
export const diagramPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const localSchemes = ['app:', 'data:', 'devtools:'];

function scheme(url: string): string {
  return url.slice(0, url.indexOf(':') + 1);
}

/**
 * Denies every permission and cancels every request that is not for the app's own files: the renderer has no
 * network.
 */
export function closeSession(target: Session): void {
  target.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  target.setPermissionCheckHandler(() => false);
  target.setDevicePermissionHandler(() => false);
  target.setDisplayMediaRequestHandler((_request, answer) => answer({}));
  target.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !localSchemes.includes(scheme(details.url)) });
  });
  target.on('will-download', (event) => event.preventDefault());
}

/** Restricts any web contents, whether the main window's or one created by accident. */
function closeContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-frame-navigate', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  // A peer connection ignores the content security policy; without this setting its packets leave the
  // machine.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}

/** Must run before the first window exists. */
export function secureEverything(): void {
  app.on('web-contents-created', (_event, contents) => closeContents(contents));
  closeSession(session.defaultSession);
}
