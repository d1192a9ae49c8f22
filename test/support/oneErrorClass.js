const { isNativeError } = require('node:util').types;

// Jest runs the tests, and n8n in them, in a context with classes of its own, in which an error of
// Node.js itself is no `Error`. n8n then drops it, and nodes receive other errors than in n8n.
const isInstance = Function.prototype[Symbol.hasInstance];
Object.defineProperty(Error, Symbol.hasInstance, {
	value(value) {
		return this === Error ? isNativeError(value) : isInstance.call(this, value);
	},
});
