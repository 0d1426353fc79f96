/**
 * The three channels between main and the window. Separate from the contract, so that the preload
 * script loads no schemas.
 */
export const ipcChannels = { invoke: 'patina:invoke', push: 'patina:push', ack: 'patina:push-ack' } as const;
