/** Size limits of a workspace. They exceed any real need; a folder beyond them is a mistake or an attack. */
export const workspaceLimits = {
  files: 4_096,
  /** Bytes of one text file: JSON or Markdown. */
  textBytes: 1_048_576,
  indexBytes: 262_144,
  imageBytes: 8_388_608,
  /** Bytes of all images of one pack, which go with every call that includes its static context. */
  packImageBytes: 20_971_520,
  totalBytes: 67_108_864,
  /** Bytes of a descriptor's JSON Schema. */
  schemaBytes: 262_144,
  /** Maximum nesting depth of JSON. */
  jsonDepth: 64,
  /** Maximum names in a folder that must be listed. */
  folderNames: 4_096,
} as const;

export const indexFile = 'agent.workspace.json';
export const legacyFolder = 'tools';
