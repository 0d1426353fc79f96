/** A retry is sent as the user's line, so that the model continues from the record. */
export const retryLine = 'Try that step again.';
