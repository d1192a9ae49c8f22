/** n8n 2.41 needs this Node, and the native module of its expression engine is built for no other. */
export const NODE_MAJOR = 24;
