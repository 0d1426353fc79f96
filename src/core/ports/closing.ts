/** Abort reason for turns stopped because Patina exits; their work can resume at the next start. */
export const closing = 'Patina ends';
