// n8n's engine prints every error that a node throws; a test looks at the error itself.
process.env.N8N_LOG_LEVEL = 'silent';
