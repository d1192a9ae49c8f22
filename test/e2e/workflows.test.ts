// One n8n for all of them.
import './workflows/agents';
import './workflows/payingOnce';
import './workflows/examples';
