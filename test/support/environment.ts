/** What a program of ours is started with, apart from its settings; vitest.config.ts says where compiled code is kept. */
export function programEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
