import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { protocol, type Protocol } from 'electron';
import { appOrigin, contentSecurityPolicy } from './window-security';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.json': 'application/json',
};

/** Must run before the app is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, codeCache: true } },
  ]);
}

/** Resolves a URL to a file inside `root`; null when the URL names anything else. */
export function fileFor(root: string, url: string): string | null {
  if (!url.startsWith(`${appOrigin}/`)) return null;
  const path = decodeURIComponent(new URL(url).pathname);
  const file = normalize(join(root, path === '/' ? 'index.html' : path));
  return file.startsWith(root + sep) && !path.includes('\0') ? file : null;
}

async function respond(file: string | null, policy: string): Promise<Response> {
  const body = file === null ? null : await readFile(file).catch(() => null);
  if (file === null || !body) return new Response(null, { status: 404 });
  return new Response(new Uint8Array(body), {
    headers: {
      'content-type': contentTypes[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    },
  });
}

/**
 * Serves the built window from `root` and sends the content security policy with every response. No URL can
 * name a file outside `root`.
 */
export function serveApp(
  root: string,
  { target = protocol, policy = contentSecurityPolicy }: { target?: Protocol; policy?: string } = {},
): void {
  target.handle('app', ({ url }) => respond(fileFor(root, url), policy));
}
