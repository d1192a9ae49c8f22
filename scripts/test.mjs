import { build } from './build.mjs';
import { runInherited } from './runInherited.mjs';

// The engine tests run the built package, so a test run always builds first. Arguments go to jest.
await build();
process.exitCode = await runInherited('npx', ['jest', ...process.argv.slice(2)]);
