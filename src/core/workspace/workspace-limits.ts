/** How large a workspace may be. More than any one needs; a folder beyond it is a mistake or an attack. */
export const workspaceLimits = {
  files: 4_096,
  /** Bytes of one text file: JSON or Markdown. */
  textBytes: 1_048_576,
  indexBytes: 262_144,
  imageBytes: 8_388_608,
  /** Bytes of all images of one pack: they go with every call that has its static context. */
  packImageBytes: 20_971_520,
  totalBytes: 67_108_864,
  /** Bytes of a descriptor's JSON Schema. */
  schemaBytes: 262_144,
  /** How deep JSON may be nested. */
  jsonDepth: 64,
  /** Names in a folder that has to be listed. */
  folderNames: 4_096,
} as const;

export const indexFile = 'agent.workspace.json';
export const legacyFolder = 'tools';
