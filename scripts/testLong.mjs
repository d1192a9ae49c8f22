import { runInherited } from './runInherited.mjs';

// 10,000 random histories of the trigger, others each time. A failure prints the seed that repeats it.
process.env.HISTORIES ??= '10000';
process.exitCode = await runInherited('npx', ['jest', 'test/unit/trigger/histories']);
