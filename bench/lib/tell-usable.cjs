// Loaded into Electron before the app (`-r`): tells the parent when one can type into the first window.

/** In the page: resolves when the field one types into has been drawn and takes the focus. */
const usable = `new Promise((resolve) => {
  const look = () => {
    const field = document.querySelector('textarea');
    if (!field || field.getBoundingClientRect().height === 0) return requestAnimationFrame(look);
    field.focus();
    if (document.activeElement !== field) return requestAnimationFrame(look);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
      port2.postMessage(null);
    });
  };
  look();
})`;

void import('electron').then(({ app }) =>
  app.on('web-contents-created', (_event, contents) => {
    contents.once('dom-ready', () => {
      contents.mainFrame.executeJavaScript(usable).then((at) => process.send?.({ usableAt: at }));
    });
  }),
);
