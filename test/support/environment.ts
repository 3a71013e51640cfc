/** The environment of our programs, apart from their settings; vitest.config.ts sets the folder of the code cache. */
export function programEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
