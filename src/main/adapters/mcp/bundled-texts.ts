/**
 * What a model reads of the bundled filesystem server's tools, in place of the package's own words: shorter, and
 * with the form of the text that each returns.
 */
const filesystem: Readonly<Record<string, string>> = {
  create_directory: 'Creates a folder and its parents.',
  directory_tree: 'The tree of a folder as JSON text.',
  edit_file: 'Replaces exact texts in a file; dryRun only gives the diff.',
  get_file_info: 'Lines of name: value, such as size: 12.',
  list_allowed_directories: 'The folders that these tools can reach.',
  list_directory: 'Lines of [FILE] name or [DIR] name.',
  list_directory_with_sizes: 'The same with sizes and totals.',
  move_file: 'Moves or renames a file or folder.',
  read_file: 'Old name of read_text_file.',
  read_media_file: 'An image or audio file as base64.',
  read_multiple_files: 'Texts of files, each under its path.',
  read_text_file: 'Text of a file, or its first or last lines.',
  search_files: 'Full paths that match, one a line.',
  write_file: 'Creates or replaces a file.',
};

/** The text about a bundled server's tool; undefined where the server's own words are used. */
export function bundledText(bundled: string | undefined, tool: string): string | undefined {
  return bundled === 'filesystem' && Object.hasOwn(filesystem, tool) ? filesystem[tool] : undefined;
}
