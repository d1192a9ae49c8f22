// One n8n for all of them. The last ones search all that it keeps for the credential's key.
import './editor/browser';
import './editor/security';
