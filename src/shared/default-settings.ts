/** Default settings. Separate from the schema, so that the first paint loads no schemas. */
export const defaultSettings = {
  mode: 'ask' as const,
  theme: 'system' as const,
  model: null,
  project: null,
  lastSessionId: null,
  railWidth: 248,
  inspectorWidth: 420,
  inspectorOpen: false,
  window: null,
  roles: [] as string[],
  toolsInAsk: false,
  shortcuts: {} as Record<string, string | null>,
};
