import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT_STATUS, type ExitStatus, endProcess } from "../exit_status.ts";
import { openInBrowser } from "../open_browser.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { getInterruptionStatus, listenForSignals } from "../work/signals.ts";
import { parseDatabaseLocation } from "./database.ts";
import { loadSample } from "./sample.ts";
import { type ServeOptions, serveDatacenter } from "./serve/serve.ts";

/** Options of a server for this machine only, independent of `dc serve`'s environment variables. */
const LOCAL_SERVER_OPTIONS: Omit<ServeOptions, "database"> = {
  ...{ host: "127.0.0.1", port: 0, databaseWaitS: 0, memoryMiB: 512, maxPerAddress: 2500, given: "" },
  ...{ insecure: false, cleartext: false, acceptsBrokenLog: false, allowedHosts: [], allowedOrigins: [] },
  ...{ tokens: undefined, jwt: undefined, webhookSecretFile: undefined },
  ...{ notify: undefined, readings: undefined, tls: undefined, checkpoints: undefined },
};

/** Serves a sample site from a temporary folder until a signal, and opens the console in a browser. */
export async function openSample(racks: number, log: StderrLogger): Promise<ExitStatus> {
  const folder = mkdtempSync(join(tmpdir(), "planner-sample-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  let isServing = false;
  const signals = listenForSignals((name, again) => {
    if (!isServing) {
      removeFolder();
      endProcess(getInterruptionStatus(name));
    }
    // The server handles only SIGINT and SIGTERM. An unhandled SIGHUP would leave the folder behind.
    if (name === "SIGHUP" && !again) process.kill(process.pid, "SIGTERM");
  });
  let closePage = () => {};
  try {
    const database = parseDatabaseLocation(join(folder, "sample.sqlite"), folder, { create: true });
    const loaded = await loadSample(racks, database, log);
    if (loaded !== EXIT_STATUS.ok) return loaded;
    const onListening = (address: string) => {
      isServing = true;
      log.note("Ctrl-C ends the server and removes its database");
      closePage = openInBrowser(address, (why) => log.note(why));
    };
    return await serveDatacenter({ ...LOCAL_SERVER_OPTIONS, database, onListening }, log);
  } finally {
    signals.close();
    closePage();
    removeFolder();
  }
}
