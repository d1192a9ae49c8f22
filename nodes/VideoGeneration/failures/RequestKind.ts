/** `add` costs a credit, `clear` cannot be undone, `read` changes nothing. */
export type RequestKind = 'read' | 'clear' | 'add';
