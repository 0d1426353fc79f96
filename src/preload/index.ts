import { contextBridge, ipcRenderer, webUtils, type IpcRendererEvent } from 'electron';
import { ipcChannels } from '#shared/ipc-channels';
import type { Bridge, PushBatch } from '#shared/ipc';

/** The whole interface between the window and main: three functions; no Electron object passes through. */
const bridge: Bridge = {
  pathOf: (file) => webUtils.getPathForFile(file as File),
  invoke: (name, input) => ipcRenderer.invoke(ipcChannels.invoke, name, input),
  onPush: (listener) => {
    const receive = (_event: IpcRendererEvent, batch: PushBatch): void => {
      const acknowledge = (): void => ipcRenderer.send(ipcChannels.ack, batch.batch);
      // A failing listener must not stop the stream: the window recovers from a gap by itself.
      void Promise.resolve()
        .then(() => listener(batch))
        .then(acknowledge, acknowledge);
    };
    ipcRenderer.on(ipcChannels.push, receive);
    ipcRenderer.send(ipcChannels.ack, 0);
    return () => ipcRenderer.removeListener(ipcChannels.push, receive);
  },
};

contextBridge.exposeInMainWorld('patina', bridge);
