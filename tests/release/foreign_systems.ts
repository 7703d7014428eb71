import { copyFileSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { OUT } from "../../release/release.ts";
import { run } from "../../release/shell.ts";
import { runCommand } from "../support/planner_command.ts";
import { ALL_JOBS, type Check, unpacked } from "./check.ts";
import {
  askServer,
  datacenterJobs,
  emptyFolder,
  SERVE_SAMPLE,
  specCommands,
  specJobs,
  succeed,
  withServer,
} from "./main_jobs.ts";

// Programs for another C library or another system, run beside Debian's.

/** Debian's libraries that the musl build needs. Source: Debian's packages libstdc++6 and libgcc-s1. */
const LIBRARIES = ["libstdc++.so.6", "libgcc_s.so.1"].map((name) => `/usr/lib/x86_64-linux-gnu/${name}`);
const WINE = "/usr/lib/wine/wine64";

/** The musl build under Debian's musl, with Debian's libstdc++ and the functions of glibc that it takes. */
export function musl(version: string): Check {
  const file = `planner-${version}-linux-x64-musl.tar.xz`;
  return {
    artefact: file,
    place: "Debian's musl, with its libstdc++",
    jobs: `with the functions of glibc that libstdc++ takes: ${ALL_JOBS}`,
    needs: ["gcc", "xz", "/lib/ld-musl-x86_64.so.1"],
    files: [file],
    check: async () => {
      const libraries = emptyFolder();
      const shim = join(libraries, "shim.so");
      const source = join(import.meta.dirname, "musl_shim.c");
      run("gcc", ["-shared", "-fPIC", "-nostdlib", "-O2", "-o", shim, source]);
      for (const path of LIBRARIES) copyFileSync(realpathSync(path), join(libraries, path.split("/").at(-1) ?? ""));
      // The two libraries name glibc's loader; musl has loaded itself already.
      const loader = join(libraries, "ld-linux-x86-64.so.2");
      run("gcc", ["-shared", "-nostdlib", "-o", loader, "-x", "c", "/dev/null"]);
      const env = { LD_PRELOAD: shim, LD_LIBRARY_PATH: libraries };
      const program = ["env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
      const installed = { command: [...program, join(unpacked(file), "planner")], folder: emptyFolder() };
      return `${await specJobs(installed)}; ${await datacenterJobs(installed)}`;
    },
  };
}

/** The Windows build under wine64, which reads no pipe of Unix, so that `planner mcp` is left out. */
export function windows(version: string): Check {
  const file = `planner-${version}-windows-x64.zip`;
  return {
    artefact: file,
    place: "wine64",
    jobs: "with a library of one function that Wine 8 lacks: init, add, list, lint; dc sample, serve, JSON, gRPC, console",
    needs: ["unzip", WINE, "x86_64-w64-mingw32-gcc"],
    files: [file],
    check: async () => {
      const root = emptyFolder();
      run("unzip", ["-q", join(OUT, file), "-d", root]);
      const folder = join(root, `planner-${version}-windows-x64`);
      const source = join(import.meta.dirname, "bcryptprimitives.c");
      const library = join(folder, "bcryptprimitives.dll");
      run("x86_64-w64-mingw32-gcc", ["-shared", "-O2", "-o", library, source, "-ladvapi32"]);
      const env = { WINEPREFIX: join(root, "prefix"), WINEDEBUG: "-all" };
      mkdirSync(env.WINEPREFIX);
      const project = emptyFolder();
      const installed = { command: [WINE, join(folder, "planner.exe")], folder: project, env };
      run(WINE, ["winecfg", "-v", "win10"], { env });
      const jobs = await specCommands(installed);
      await succeed(installed, ["dc", "sample", "--db", "site.sqlite"]);
      await withServer(installed, askServer, SERVE_SAMPLE, "KILLED");
      // Status 1 says that Wine's own server has ended already.
      await runCommand([join(WINE, "..", "wineserver"), "-k"], { cwd: root, env });
      return `${jobs}; dc sample, serve, JSON, gRPC, console`;
    },
  };
}
