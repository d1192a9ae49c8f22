/** The versions of Node.js that the package is loaded and used in; the last one is what current n8n needs. */
export const NODE_MAJORS = [20, 22, 24];
