/** What `npm run sandbox -- --help` prints. */
export const HELP = `A local video generation service, for development, tests and the demo.

Usage: npm run sandbox -- [options]

  --port <number>      Port on the loopback address; 0 takes a free one (3456)
  --latency <ms>       Added to every reply (0)
  --credits <number>   Credits of the main account (100)
  --seed <number>      The same ids again with the same number (a new one each time)
  --clock <kind>       "real", or "manual": stands still until it is moved (real)
  --help               This text
`;
