/** Stands for a text in an expected value. */
export const like = (pattern: RegExp) => expect.stringMatching(pattern) as string;
