// One n8n for all of them; the five rows begin first and are awaited last.
import './workflows/agents';
import './workflows/stop';
import './workflows/payingOnce';
import './workflows/examples';
import './workflows/fiveRows';
