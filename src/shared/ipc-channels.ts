/** The three channels between main and the window. Apart from the contract, so that the preload script stays free of schemas. */
export const ipcChannels = { invoke: 'patina:invoke', push: 'patina:push', ack: 'patina:push-ack' } as const;
