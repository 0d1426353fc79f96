import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures/patina';
import { startSink, startUdpSink } from '../fixtures/sink';

/** Opens a peer connection whose only STUN server is the sink; resolves when the page has sent all its requests. */
const gatherCandidates = (page: Page, port: number) =>
  page.evaluate(async (stunPort) => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${stunPort}` }] });
    peer.createDataChannel('probe');
    await peer.setLocalDescription(await peer.createOffer());
    while (peer.iceGatheringState !== 'complete') {
      await new Promise((resolve) => (peer.onicegatheringstatechange = resolve));
    }
  }, port);

test.describe('the window, checked against the twenty items of Electron’s security list', () => {
  test('[SEC-02] [SEC-03] [SEC-04] [SEC-06] [SEC-08] [SEC-09] [SEC-10] [SEC-11] has the safe preferences', async ({
    launch,
  }) => {
    const { app } = await launch();
    const preferences = await app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      const contents = window?.webContents as unknown as {
        getLastWebPreferences: () => Record<string, unknown>;
      };
      return contents.getLastWebPreferences();
    });
    expect(preferences).toMatchObject({
      nodeIntegration: false,
      contextIsolation: true,
      sandbox: true,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
    });
    expect(preferences['experimentalFeatures'] ?? false).toBe(false);
    expect(preferences['enableBlinkFeatures'] ?? '').toBe('');
  });

  test('[SEC-20] exposes three functions to the page and nothing of Electron or Node', async ({ launch }) => {
    const { page } = await launch();
    const seen = await page.evaluate(() => ({
      bridge: Object.keys((window as unknown as { patina: object }).patina).sort(),
      node: ['require', 'process', 'module', 'Buffer', 'electron', 'ipcRenderer'].filter(
        (name) => name in window,
      ),
    }));
    expect(seen).toEqual({ bridge: ['invoke', 'onPush', 'pathOf'], node: [] });
  });

  test('[SEC-01] [SEC-07] [SEC-18] is served by its own protocol under a strict policy', async ({
    launch,
  }) => {
    const { page } = await launch();
    expect(page.url()).toBe('app://patina/index.html?lang=en');
    const violations = await page.evaluate(async () => {
      const seen: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
      const inline = document.createElement('script');
      inline.textContent = 'window.planted = true';
      document.head.append(inline);
      const style = document.createElement('style');
      style.textContent = 'body { outline: 1px solid red }';
      document.head.append(style);
      const image = document.createElement('img');
      image.src = 'https://example.invalid/pixel.png';
      await new Promise((resolve) => {
        image.onerror = resolve;
        document.body.append(image);
      });
      const fetched = await fetch('app://patina/index.html').then(
        () => 'fetched',
        () => 'refused',
      );
      return { seen: [...new Set(seen)].sort(), planted: 'planted' in window, fetched };
    });
    expect(violations.planted).toBe(false);
    expect(violations.fetched).toBe('refused');
    expect(violations.seen).toEqual(expect.arrayContaining(['img-src', 'script-src-elem', 'style-src-elem']));
  });

  test('[SEC-05] denies every permission', async ({ launch }) => {
    const { page } = await launch();
    const answers = await page.evaluate(async () => {
      const notification = await Notification.requestPermission();
      const camera = await navigator.mediaDevices.getUserMedia({ video: true, audio: true }).then(
        () => 'granted',
        (error: Error) => error.name,
      );
      const place = await new Promise((resolve) =>
        navigator.geolocation.getCurrentPosition(
          () => resolve('granted'),
          (error) => resolve(error.code),
        ),
      );
      const asked = await navigator.permissions.query({ name: 'geolocation' });
      return { notification, camera, place, state: asked.state };
    });
    expect(answers.notification).toBe('denied');
    expect(answers.camera).not.toBe('granted');
    expect(answers.place).toBe(1);
    expect(answers.state).toBe('denied');
  });

  test('[SEC-12] [SEC-13] [SEC-14] [H65] denies navigation, windows, webviews, forms, drops and history', async ({
    launch,
  }) => {
    const sink = await startSink();
    const { app, page } = await launch();
    await page.evaluate((origin) => {
      window.open(`${origin}/open`);
      const link = document.createElement('a');
      link.href = `${origin}/blank`;
      link.target = '_blank';
      document.body.append(link);
      link.click();
      const form = document.createElement('form');
      form.action = `${origin}/form`;
      form.method = 'post';
      document.body.append(form);
      form.submit();
      const webview = document.createElement('webview');
      webview.setAttribute('src', `${origin}/webview`);
      document.body.append(webview);
      const frame = document.createElement('iframe');
      frame.src = `${origin}/frame`;
      document.body.append(frame);
      const drop = new DataTransfer();
      drop.setData('text/uri-list', 'file:///etc/hostname');
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: drop, bubbles: true }));
      history.back();
      window.location.href = `${origin}/location`;
    }, sink.origin);
    // The page is asked through main: Playwright itself would wait for a navigation that never comes.
    const seen = await app.evaluate(async ({ BrowserWindow }) => {
      const windows = BrowserWindow.getAllWindows();
      const contents = windows[0]?.webContents;
      const alive: unknown = await contents?.executeJavaScript('document.querySelector("textarea") !== null');
      return { windows: windows.length, url: contents?.getURL(), alive };
    });
    expect(seen).toEqual({ windows: 1, url: 'app://patina/index.html?lang=en', alive: true });
    expect(sink.hits).toEqual(['/control']);
    sink.close();
  });

  test('[H64] [SEC-01] makes no network request, whatever asks', async ({ launch }) => {
    const sink = await startSink();
    const { page } = await launch();
    const reached = await page.evaluate(async (origin) => {
      const element = (tag: string, attributes: Record<string, string>) => {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        const ended = new Promise((resolve) => {
          made.onload = made.onerror = resolve;
        });
        document.body.append(made);
        return ended;
      };
      const loads = [
        element('img', { src: `${origin}/img` }),
        element('link', { rel: 'stylesheet', href: `${origin}/css` }),
      ];
      void element('link', { rel: 'prefetch', href: `${origin}/prefetch` });
      void element('meta', { 'http-equiv': 'refresh', content: `0;url=${origin}/refresh` });
      void element('iframe', { src: `${origin}/iframe` });
      void element('object', { data: `${origin}/object` });
      void element('video', { src: `${origin}/video` });
      document.body.insertAdjacentHTML('beforeend', `<svg><image href="${origin}/svg"/></svg>`);
      const font = new FontFace('x', `url(${origin}/font)`);
      const attempts = [
        fetch(`${origin}/fetch`),
        font.load(),
        Promise.resolve(navigator.sendBeacon(`${origin}/beacon`)).then((sent) =>
          sent ? 'sent' : Promise.reject(new Error('refused')),
        ),
        new Promise((resolve, reject) => {
          const socket = new WebSocket(origin.replace('http', 'ws'));
          socket.onopen = resolve;
          socket.onerror = reject;
        }),
      ];
      const settled = await Promise.allSettled(attempts);
      await Promise.all(loads);
      return settled.map((attempt) => attempt.status);
    }, sink.origin);
    expect(reached.filter((status) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    expect(sink.hits).toEqual(['/control']);
    sink.close();
  });

  test('[SEC-requests] cancels every request of a page without a policy', async ({ launch }) => {
    const sink = await startSink();
    const { app } = await launch();
    // A data page has no content security policy, so only the session's own rule applies.
    const load = (name: string) =>
      app.evaluate(async ({ BrowserWindow }, address) => {
        const window = new BrowserWindow({ show: false });
        await window.loadURL('data:text/html,<title>bare</title>');
        const ended: unknown = await window.webContents.executeJavaScript(`Promise.all([
            fetch('${address}/fetch', { mode: 'no-cors' }).then(() => 'sent', () => 'refused'),
            new Promise((resolve) => {
              const image = new Image();
              image.onload = image.onerror = () => resolve('ended');
              image.src = '${address}/img';
            }),
          ])`);
        window.destroy();
        return ended;
      }, `${sink.origin}/${name}`);
    expect(await load('closed')).toEqual(['refused', 'ended']);
    expect(sink.hits).toEqual(['/control']);
    // The same page reaches the sink without the rule, so its silence above proves something.
    await app.evaluate(({ session }) => session.defaultSession.webRequest.onBeforeRequest(null));
    expect(await load('open')).toEqual(['sent', 'ended']);
    expect([...sink.hits].sort()).toEqual(['/control', '/open/fetch', '/open/img']);
    sink.close();
  });

  test('[SEC-07] [SEC-csp] sends every line of the policy with the page', async ({ launch }) => {
    const { app, page } = await launch();
    const header = await app.evaluate(async ({ net }) =>
      (await net.fetch('app://patina/index.html')).headers.get('content-security-policy'),
    );
    expect(header?.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'none'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "object-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    const refused = await page.evaluate(async () => {
      const seen: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
      const base = document.createElement('base');
      base.href = 'https://example.invalid/';
      document.head.append(base);
      const form = document.createElement('form');
      form.action = 'app://patina/index.html';
      document.body.append(form);
      form.submit();
      const object = document.createElement('object');
      object.data = 'app://patina/index.html';
      document.body.append(object);
      const wanted = ['base-uri', 'form-action', 'object-src'];
      while (!wanted.every((directive) => seen.includes(directive))) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return document.baseURI;
    });
    expect(refused).toBe('app://patina/index.html?lang=en');
  });

  test('[SEC-webrtc] sends no packet when a page opens a peer connection', async ({ launch }) => {
    const sink = await startUdpSink();
    const { app, page } = await launch();
    await gatherCandidates(page, sink.port);
    expect(sink.packets()).toBe(0);
    // The same attempt without the policy reaches the sink, so its silence above proves something.
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.setWebRTCIPHandlingPolicy('default'),
    );
    const gathering = gatherCandidates(page, sink.port).catch(() => undefined);
    await expect.poll(sink.packets).toBeGreaterThan(0);
    await app.close();
    await gathering;
    sink.close();
  });

  test('[SEC-download] saves nothing that a page offers as a download', async ({ launch }) => {
    const { app, page } = await launch();
    await app.evaluate(({ session }) => {
      const seen = globalThis as { downloads?: boolean[] };
      // The driver may ask twice.
      if (seen.downloads) return;
      seen.downloads = [];
      session.defaultSession.on('will-download', (event) => seen.downloads?.push(event.defaultPrevented));
    });
    await page.evaluate(() => {
      const link = document.createElement('a');
      link.href = 'data:application/octet-stream,planted';
      link.download = 'planted.sh';
      document.body.append(link);
      link.click();
    });
    const prevented = () => app.evaluate(() => (globalThis as { downloads?: boolean[] }).downloads);
    await expect.poll(prevented).toEqual([true]);
  });

  test('[SEC-16] pins a current Electron', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: { electron: string };
    };
    expect(Number(devDependencies.electron.split('.')[0])).toBeGreaterThanOrEqual(45);
  });
});
