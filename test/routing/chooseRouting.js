process.env.VIDEO_GENERATION_ROUTING = 'true';
