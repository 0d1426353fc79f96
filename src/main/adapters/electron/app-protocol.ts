import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { protocol } from 'electron';
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

/** The file a URL names inside `root`, or nothing when it names anything else. */
export function fileFor(root: string, url: string): string | null {
  if (!url.startsWith(`${appOrigin}/`)) return null;
  const path = decodeURIComponent(new URL(url).pathname);
  const file = normalize(join(root, path === '/' ? 'index.html' : path));
  return file.startsWith(root + sep) && !path.includes('\0') ? file : null;
}

async function respond(file: string | null): Promise<{ response: Response; body: Buffer | null }> {
  const body = file === null ? null : await readFile(file).catch(() => null);
  if (file === null || !body) return { response: new Response(null, { status: 404 }), body: null };
  const response = new Response(new Uint8Array(body), {
    headers: {
      'content-type': contentTypes[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    },
  });
  return { response, body };
}

/** What a page's head asks for: scripts and styles. */
function filesNamed(page: string): readonly string[] {
  return [...page.matchAll(/ (?:src|href)="([^"]+)"/g)].flatMap(([, name]) => name ?? []);
}

/** Calls back once, when a page and every file its head names have been answered. */
function createFirstPage(onServed: () => void): (url: string, body: Buffer | null) => void {
  let waiting: Set<string> | null = null;
  let served = false;
  return (url, body) => {
    if (served) return;
    if (url.endsWith('.html')) {
      waiting = new Set(filesNamed(body?.toString('utf8') ?? '').map((name) => new URL(name, url).href));
    }
    waiting?.delete(url);
    if (waiting?.size !== 0) return;
    served = true;
    onServed();
  };
}

/**
 * Serves the built window from `root`, with the policy on every answer; nothing outside `root` can be named.
 * `onServed` is called once, when the first page has everything its head asks for: until then this process has nothing
 * more urgent to do than to answer.
 */
export function serveApp(root: string, onServed: () => void): void {
  const note = createFirstPage(onServed);
  protocol.handle('app', async ({ url }) => {
    const { response, body } = await respond(fileFor(root, url));
    note(url, body);
    return response;
  });
}
