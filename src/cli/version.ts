import { getEngineName } from "#runtime/engine.ts";

declare const __VERSION__: string | undefined;
declare const __COMMIT__: string | undefined;

/** The product's version; the build inserts it from package.json. */
export const VERSION: string = typeof __VERSION__ === "string" ? __VERSION__ : "0.3.0";

/** The commit of the build, or `source` if planner runs from source. */
export const COMMIT: string = typeof __COMMIT__ === "string" ? __COMMIT__ : "source";

/** Returns the line that `--version` prints. */
export function formatVersion(): string {
  return `planner ${VERSION} (commit ${COMMIT}, ${getEngineName()})\n`;
}

/** Data that `--version --json` prints. */
export interface BuildFacts {
  readonly version: string;
  readonly commit: string;
  readonly engine: string;
  /** `linux`, `darwin` or `win32`. */
  readonly platform: string;
  /** `x64` or `arm64`. */
  readonly architecture: string;
}

/** Returns version and commit of the running build without reading a file. */
export function getBuildFacts(): BuildFacts {
  const { platform, arch: architecture } = process;
  return { version: VERSION, commit: COMMIT, engine: getEngineName(), platform, architecture };
}
