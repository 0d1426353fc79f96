/** What holds until the user sets something else. Apart from the schema, so that the first picture needs no schemas. */
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
