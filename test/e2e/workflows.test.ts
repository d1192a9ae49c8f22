// One n8n for all of them.
import './workflows/agents';
import './workflows/builders';
import './workflows/payingOnce';
import './workflows/examples';
