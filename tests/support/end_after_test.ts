import { afterEach } from "bun:test";
import { DcServer } from "./dc_server.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Ends something after the test, last opened first. */
export function endAfterTest(end: () => unknown): void {
  endings.push(end);
}

/** `planner dc serve` until the test's end; see `DcServer.start`. */
export async function serveDc(...given: Parameters<typeof DcServer.start>): Promise<DcServer> {
  const server = await DcServer.start(...given);
  endAfterTest(() => server.end());
  return server;
}
